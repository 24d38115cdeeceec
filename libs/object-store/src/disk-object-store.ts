import { randomHex } from '@gw/kernel';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { assertKey, OBJECT_BYTES_MAX, type ByteRange, type ObjectStore } from './object-store';

/** Stores objects as files below one folder of this machine. */
export class DiskObjectStore implements ObjectStore {
  constructor(private readonly root: string) {}

  async put(key: string, bytes: Buffer): Promise<void> {
    assertKey(key);
    const path = join(this.root, key);
    const folder = dirname(path);
    // Another process may remove the empty folder between the two calls.
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const temporary = `${path}.${randomHex(6)}.tmp`;
    try {
      const file = await open(temporary, 'wx', 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    await syncFolder(folder);
  }

  async get(key: string, range?: ByteRange): Promise<Buffer | null> {
    assertKey(key);
    const file = await open(join(this.root, key), 'r').catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    });
    if (file === null) return null;
    try {
      const { size } = await file.stat();
      const offset = range?.offset ?? 0;
      const length = Math.max(0, Math.min(size - offset, range?.length ?? size));
      if (length > OBJECT_BYTES_MAX) throw new Error('The object is too large to be read whole.');
      const bytes = Buffer.allocUnsafe(length);
      const { bytesRead } = await file.read(bytes, 0, length, offset);
      return bytes.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }

  async removeFolder(folder: string): Promise<void> {
    assertKey(folder, true);
    await rm(join(this.root, folder), { recursive: true, force: true });
  }

  close(): void {
    // Files are open only while they are read or written.
  }
}

/** Syncs a folder: a rename survives a power cut only after that. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
