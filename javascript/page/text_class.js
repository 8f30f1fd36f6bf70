/* Texts of lessons, experiments, sets and sharing, in [English, Chinese]. */

Object.assign(TEXTS, {
  "pairs.french": ["1,000 pairs, French–English", "1,000 个法英句对"],
  "pairs.numbers": ["1,000 numbers in words", "1,000 个数字读法"],
  "pairs.dates": ["1,000 dates", "1,000 个日期"],
  "pairs.letters": ["1,600 words of letters, reversed", "1,600 个倒写的字母词"],
  glosses: ["Pinyin and English under Chinese words", "在中文词下显示拼音和英文"],

  /* Lessons */
  "lesson.n": ["Lesson {n}", "第 {n} 课"],
  "lesson.size": ["steps: {n}, about two minutes", "{n} 步，大约两分钟"],
  "lesson.done": ["done", "已完成"],
  "lesson.busy": ["Computing…", "计算中……"],
  "lesson.catch": ["Run the steps before", "先运行前面的步骤"],
  "lesson.hint.choose": ["Choose an answer first.", "请先选一个答案。"],
  "lesson.hint.act": ["Now let the page compute the answer.", "现在让本页算出答案。"],
  "lesson.hint.catch": ["This step uses the network of the earlier ones.", "这一步要用前面步骤的网络。"],
  "lesson.right": ["Correct.", "答对了。"],
  "lesson.wrong": ["Not this time.", "这次没答对。"],
  experiments: ["Experiments", "实验"],
  "experiments.hint": ["One click sets pairs and settings, and begins. At its end your own return.", "单击一下，就设好句对和设置并开始。结束时恢复您自己的。"],
  "experiment.is": ["Experiment: {title}. Your pairs, settings and network return at its end.", "实验：{title}。结束时恢复您的句对、设置和网络。"],
  "experiment.end": ["End the experiment", "结束实验"],

  /* Sharing */
  "copy.image": ["Copy", "复制"],
  copied: ["The picture is in the clipboard.", "图已复制。"],
  "copied.not": ["The browser does not allow copying pictures. Save the figure as PNG.", "浏览器不允许复制图片。请把图存为 PNG。"],
  share: ["QR code of the link…", "链接的二维码……"],
  "share.address": ["Web address of the page", "本页的网址"],
  "share.code": ["QR code of the link", "链接的二维码"],
  "share.hint": ["The code opens the view, lesson and settings that are on show. It contains short pairs, not the model.", "扫码打开现在的视图、课程和设置。其中有较短的句对，没有模型。"],
  "share.file": ["This page is a file on this computer. Type the web address at which your class finds the page, or hand out the file.", "本页是这台计算机上的文件。请输入全班能打开本页的网址，或直接发文件。"],
  "share.long": ["The link is too long for a QR code. Choose a built-in set of pairs, or hand out the file.", "链接太长，放不进二维码。请选内置的句对，或直接发文件。"],
  large: ["Large type", "大字"],

  /* Worksheet */
  sheet: ["Worksheet…", "练习纸……"],
  "sheet.title": ["How a neural translator reads: worksheet", "神经翻译怎样阅读：练习纸"],
  "sheet.with": ["with answers", "附答案"],
  "sheet.print": ["Print", "打印"],
  "sheet.all": ["all lessons", "所有课程"],
  "sheet.name": ["Name", "姓名"],
  "sheet.date": ["Date", "日期"],
  "sheet.where": ["In the playground: Lessons, {n}.", "在试验场中：课程，第 {n} 课。"],
  "sheet.measured": ["What the page measured, and why:", "本页测得的结果和原因："],
  "sheet.align": ["Draw the alignment", "画出对齐"],
  "sheet.align.do": ["Connect each English word with the Chinese word that it translates.", "把每个英文词与它所译的中文词连起来。"],
  "sheet.softmax": ["Compute the weights", "计算权重"],
  "sheet.softmax.do": ["A decoder gives three source words the scores {scores}. Compute the attention weights with softmax. What are they if each score is divided by 4 first?", "解码器给三个源词的得分是 {scores}。用 softmax 算出注意力权重。如果先把得分都除以 4，权重是多少？"],
  "sheet.softmax.answer": ["The sum of the powers of e is {powers} = {sum}, so the weights are {weights}. Divided by 4 first they are {small}: softer.", "e 的各次幂之和为 {powers} = {sum}，权重为 {weights}。先除以 4 则为 {small}，更平缓。"],
  "sheet.answers": ["Answers", "答案"],
});
