import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const NAME = 'owner.lock';
const SQLITE_BUSY = 5;

/**
 * Locks a folder for one process. The lock is an exclusive transaction on an empty SQLite file,
 * which is a lock of the operating system. It ends with the process, however that ends, and it
 * works between containers and machines that share the folder if the file system has POSIX locks
 * (local disks, NFSv4). The file is never deleted: a process that has it open could lock a file
 * that other processes no longer see.
 */
export class FolderLock {
  private constructor(private readonly database: DatabaseSync) {}

  /**
   * Locks the folder and creates it if it is missing. Returns null if another process holds the
   * lock; throws if the folder cannot be locked at all.
   */
  static take(directory: string): FolderLock | null {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    let database: DatabaseSync | null = null;
    try {
      database = new DatabaseSync(join(directory, NAME), { timeout: 0 });
      // The transaction writes nothing, so it works on a full disk.
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
