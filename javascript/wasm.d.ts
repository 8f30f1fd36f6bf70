/** The module, for Elman.load: its bytes, or its address, as the loader of the bundler has it. */
declare const wasm: Uint8Array | string
export default wasm
