/** The npm package as users install it. ELMAN_PACKAGE is the folder of the package. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

const packageFolder = resolve(process.env.ELMAN_PACKAGE ?? "build/wasm/package");

/** The programs of the package's README: the example, and its beginning for esbuild. */
export const snippets = [...readFileSync(`${packageFolder}/README.md`, "utf8").matchAll(/```js\n([^`]*)```/g)].map(([, code]) => code);
export const [example] = snippets;

/** Install the packed package in a new project within the folder, without network. Return the project. */
export function installed(folder) {
  const user = mkdtempSync(`${folder}/user-`);
  const npm = (...options) => execFileSync("npm", [...options, "--offline", "--no-audit", "--no-fund", "--loglevel=error"],
    { cwd: user, encoding: "utf8", env: { ...process.env, npm_config_cache: `${folder}/cache` } });
  writeFileSync(`${user}/package.json`, '{"type": "module"}');
  npm("install", `./${npm("pack", packageFolder).trim().split("\n").at(-1)}`);
  mkdirSync(`${user}/dist`);
  return user;
}
