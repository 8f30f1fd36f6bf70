#include "vocab/variants.h"

#include <stdbool.h>

#include "vocab/characters.h"

/* Each simplified character before its traditional form. */
static const char pairs[] =
    "这這汤湯们們个個吗嗎会會来來没沒为爲说說时時车車给給点點学學开開欢歡对對过過话話请請该該"
    "吃喫间間让讓语語书書丽麗问問现現见見玛瑪电電认認还還觉覺经經钱錢样樣应應儿兒从從机機听聽"
    "亲親国國诉訴帮幫题題谁誰买買东東长長气氣错錯关關饭飯两兩门門游遊难難读讀写寫谢謝试試爱愛"
    "种種进進乐樂总總记記离離兴興议議动動将將结結许許决決医醫师師条條场場习習妈媽带帶计計张張"
    "确確头頭视視远遠笔筆钟鍾马馬实實园園论論单單够夠谈談变變顿頓边邊轻輕馆館讲講业業尽盡网網"
    "辆輛床牀识識办辦迟遲声聲约約愿願图圖风風运運参參处處礼禮满滿鱼魚数數费費飞飛报報备備险險"
    "员員续續选選独獨伤傷烟煙刚剛钢鋼画畫课課误誤担擔装裝并並红紅苹蘋热熱讨討树樹体體惊驚价價"
    "弹彈坏壞烦煩达達节節绝絕猫貓杀殺继繼谎謊厌厭尔爾万萬战戰响響丢丟梦夢护護区區号號与與顾顧"
    "静靜纸紙证證赢贏胜勝饿餓楼樓转轉亚亞邮郵举舉灯燈鸟鳥卖賣预預赛賽随隨强強争爭块塊惯慣驾駕"
    "简簡脸臉内內虑慮紧緊队隊户戶纪紀圣聖赶趕义義银銀诞誕产產镜鏡责責钥鑰释釋终終码碼况況败敗"
    "阳陽厨廚伦倫观觀秘祕适適务務换換药藥断斷脑腦调調据據词詞伞傘盐鹽烧燒驶駛职職弃棄显顯铅鉛"
    "术術鸡雞养養聪聰宝寶脱脫拥擁极極联聯项項择擇疯瘋设設规規则則类類讶訝领領栋棟旧舊墙牆较較"
    "闭閉厅廳骑騎阅閱访訪闻聞温溫衬襯爷爺锁鎖轮輪遗遺怀懷负負传傳验驗蓝藍诺諾细細扫掃顶頂订訂"
    "连連击擊双雙贵貴饮飲统統线線译譯杂雜艺藝辞辭龄齡检檢际際婴嬰盘盤篮籃萨薩颜顏邻鄰绿綠减減"
    "历歷账賬欧歐资資评評诚誠顺順镇鎮挂掛递遞严嚴戏戲诗詩铁鐵宁寧兰蘭扰擾穷窮枪槍颗顆环環尝嘗"
    "卧臥盖蓋签籤鲜鮮众衆祸禍骗騙湿溼圆圓钓釣广廣坚堅测測桥橋纽紐灾災导導贝貝赞贊压壓优優忆憶"
    "吓嚇厂廠厕廁临臨围圍获獲仅僅黄黃绍紹筑築迹跡财財练練骄驕军軍毕畢营營寿壽专專谅諒购購雇僱"
    "虽雖脏髒属屬群羣乡鄉袜襪敌敵执執罗羅铃鈴净淨裤褲团團权權饱飽寻尋赚賺闲閒济濟称稱灭滅滚滾"
    "奖獎态態抢搶柜櫃发發后後么麼里裡几幾当當岁歲于於无無";

static int form_of(int codepoint, bool traditional) {
  const struct text text = {pairs, sizeof pairs - 1};
  for (size_t at = 0; at < text.length;) {
    const int simple = character_at(text, &at), full = character_at(text, &at);
    if (codepoint == (traditional ? simple : full)) return traditional ? full : simple;
  }
  return 0;
}

int simplified_form(int codepoint) {
  return form_of(codepoint, false);
}

int traditional_form(int codepoint) {
  return form_of(codepoint, true);
}
