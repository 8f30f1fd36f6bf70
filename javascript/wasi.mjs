/** Files in memory for the WebAssembly module: the calls of WASI (preview 1) that the C library makes. There is one
 * folder, "/", and no other process, so locks and permissions need no code. */

const OK = 0, BAD_DESCRIPTOR = 8, EXISTS = 20, INVALID = 28, NOT_FOUND = 44, NOT_SUPPORTED = 52;
const FOLDER = 3, REGULAR = 4, CHARACTER = 2, ROOT = 3; // file types, and the descriptor of "/"
const CREATE = 1, EXCLUSIVE = 4, TRUNCATE = 8, APPEND = 1; // flags of path_open
const STAT_BYTES = 64, FDSTAT_BYTES = 24;

export class MemoryFiles {
  memory = null; // of the module; set before the first call
  #files = new Map(); // name -> {bytes, size}; `bytes` may be larger than the file
  #open = new Map(); // descriptor -> {file, at, append}

  /** Store a file. */
  put(name, bytes) {
    this.#files.set(name, { bytes: new Uint8Array(bytes), size: bytes.length });
  }

  /** Return the bytes of a file and remove it. */
  take(name) {
    const file = this.#files.get(name);
    this.#files.delete(name);
    return file?.bytes.slice(0, file.size);
  }

  get #view() {
    return new DataView(this.memory.buffer);
  }

  #text(address, length) {
    return new TextDecoder().decode(new Uint8Array(this.memory.buffer, address, length).slice());
  }

  #name(address, length) {
    return this.#text(address, length).replace(/^\/+/, "");
  }

  /** Call use(bytes) for each buffer of a list; `bytes` lies in the module's memory. Return the sum of its results;
   * stop after a result that is too small. */
  #each(list, count, use) {
    let total = 0;
    for (let i = 0; i < count; i++) {
      const address = this.#view.getUint32(list + 8 * i, true), length = this.#view.getUint32(list + 8 * i + 4, true);
      const done = use(new Uint8Array(this.memory.buffer, address, length));
      total += done;
      if (done < length) break;
    }
    return total;
  }

  #read(file, at, list, count) {
    return this.#each(list, count, (to) => {
      const part = file.bytes.subarray(at, Math.min(at + to.length, file.size));
      to.set(part);
      at += part.length;
      return part.length;
    });
  }

  #write(file, at, list, count) {
    return this.#each(list, count, (from) => {
      const end = at + from.length;
      if (end > file.bytes.length) {
        const grown = new Uint8Array(Math.max(end, 2 * file.bytes.length, 4096));
        grown.set(file.bytes.subarray(0, file.size));
        file.bytes = grown;
      }
      file.bytes.set(from, at);
      file.size = Math.max(file.size, end);
      at = end;
      return from.length;
    });
  }

  #stat(address, type, size) {
    new Uint8Array(this.memory.buffer, address, STAT_BYTES).fill(0);
    this.#view.setUint8(address + 16, type);
    this.#view.setBigUint64(address + 24, 1n, true);
    this.#view.setBigUint64(address + 32, BigInt(size), true);
    return OK;
  }

  /** The functions that the module imports. */
  imports() {
    const known = {
      clock_time_get: (clock, precision, to) => {
        this.#view.setBigUint64(to, BigInt(Math.round(1e6 * performance.now())), true);
        return OK;
      },
      environ_sizes_get: (count, bytes) => {
        this.#view.setUint32(count, 0, true);
        this.#view.setUint32(bytes, 0, true);
        return OK;
      },
      environ_get: () => OK,
      fd_prestat_get: (fd, to) => {
        if (fd !== ROOT) return BAD_DESCRIPTOR;
        this.#view.setUint32(to, 0, true);
        this.#view.setUint32(to + 4, 1, true);
        return OK;
      },
      fd_prestat_dir_name: (fd, to) => {
        this.#view.setUint8(to, "/".charCodeAt(0));
        return OK;
      },
      fd_fdstat_get: (fd, to) => {
        const isOpen = this.#open.has(fd);
        if (!isOpen && fd > ROOT) return BAD_DESCRIPTOR;
        new Uint8Array(this.memory.buffer, to, FDSTAT_BYTES).fill(0);
        this.#view.setUint8(to, isOpen ? REGULAR : fd === ROOT ? FOLDER : CHARACTER);
        for (const rights of [8, 16]) this.#view.setBigUint64(to + rights, 0xffffffffffffffffn, true);
        return OK;
      },
      fd_fdstat_set_flags: () => OK,
      fd_filestat_get: (fd, to) => {
        const open = this.#open.get(fd);
        return open ? this.#stat(to, REGULAR, open.file.size) : this.#stat(to, fd === ROOT ? FOLDER : CHARACTER, 0);
      },
      fd_filestat_set_size: (fd, size) => {
        const { file } = this.#open.get(fd) ?? {};
        if (!file || Number(size) > file.size) return INVALID;
        file.size = Number(size);
        return OK;
      },
      fd_read: (fd, list, count, done) => {
        const open = this.#open.get(fd);
        if (!open) return BAD_DESCRIPTOR;
        const size = this.#read(open.file, open.at, list, count);
        open.at += size;
        this.#view.setUint32(done, size, true);
        return OK;
      },
      fd_pread: (fd, list, count, at, done) => {
        const open = this.#open.get(fd);
        if (!open) return BAD_DESCRIPTOR;
        this.#view.setUint32(done, this.#read(open.file, Number(at), list, count), true);
        return OK;
      },
      fd_write: (fd, list, count, done) => {
        const open = this.#open.get(fd);
        if (!open) {
          // Standard output and error: messages of a library that aborts.
          let message = "";
          const size = this.#each(list, count, (from) => ((message += new TextDecoder().decode(from.slice())), from.length));
          console.error(message.trimEnd());
          this.#view.setUint32(done, size, true);
          return OK;
        }
        if (open.append) open.at = open.file.size;
        const size = this.#write(open.file, open.at, list, count);
        open.at += size;
        this.#view.setUint32(done, size, true);
        return OK;
      },
      fd_seek: (fd, offset, whence, to) => {
        const open = this.#open.get(fd);
        if (!open) return BAD_DESCRIPTOR;
        const at = Number(offset) + [0, open.at, open.file.size][whence];
        if (!(at >= 0)) return INVALID;
        open.at = at;
        this.#view.setBigUint64(to, BigInt(at), true);
        return OK;
      },
      fd_sync: () => OK,
      fd_close: (fd) => (this.#open.delete(fd) ? OK : BAD_DESCRIPTOR),
      path_open: (folder, lookup, address, length, flags, rights, inheriting, descriptorFlags, to) => {
        const name = this.#name(address, length);
        let file = this.#files.get(name);
        if (file && flags & CREATE && flags & EXCLUSIVE) return EXISTS;
        if (!file && !(flags & CREATE)) return NOT_FOUND;
        if (!file) this.#files.set(name, (file = { bytes: new Uint8Array(0), size: 0 }));
        if (flags & TRUNCATE) file.size = 0;
        let fd = ROOT + 1;
        while (this.#open.has(fd)) fd++;
        this.#open.set(fd, { file, at: 0, append: (descriptorFlags & APPEND) !== 0 });
        this.#view.setUint32(to, fd, true);
        return OK;
      },
      path_filestat_get: (folder, flags, address, length, to) => {
        const file = this.#files.get(this.#name(address, length));
        return file ? this.#stat(to, REGULAR, file.size) : NOT_FOUND;
      },
      path_rename: (folder, address, length, newFolder, newAddress, newLength) => {
        const name = this.#name(address, length), file = this.#files.get(name);
        if (!file) return NOT_FOUND;
        this.#files.delete(name);
        this.#files.set(this.#name(newAddress, newLength), file);
        return OK;
      },
      path_unlink_file: (folder, address, length) => (this.#files.delete(this.#name(address, length)) ? OK : NOT_FOUND),
      random_get: (to, length) => {
        crypto.getRandomValues(new Uint8Array(this.memory.buffer, to, length));
        return OK;
      },
      proc_exit: (code) => {
        throw new Error(`the module ended with code ${code}`);
      },
    };
    return new Proxy(known, { get: (functions, name) => functions[name] ?? (() => NOT_SUPPORTED) });
  }
}
