import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const NAME = 'owner.lock';
const SQLITE_BUSY = 5;

/**
 * Holds a folder for one process. The lock is an exclusive transaction on an empty SQLite file, which is a lock of the operating
 * system: it ends with the process, however that ends, and it holds between containers and machines that share the folder, where
 * the file system has POSIX locks (local disks, NFSv4). The file is never removed: a process that has it open could lock a file
 * that others can't see any more.
 */
export class FolderLock {
  private constructor(private readonly database: DatabaseSync) {}

  /** Makes the folder where it is missing. Null: another process has it. Throws when it can't be locked at all. */
  static take(directory: string): FolderLock | null {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    let database: DatabaseSync | null = null;
    try {
      database = new DatabaseSync(join(directory, NAME), { timeout: 0 });
      // Nothing is ever written, so that a full disk is no obstacle.
      database.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
      return new FolderLock(database);
    } catch (error) {
      database?.close();
      if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return null;
      throw new Error(`${directory} cannot be locked: ${String(error)}`, { cause: error });
    }
  }

  release(): void {
    this.database.close();
  }
}
