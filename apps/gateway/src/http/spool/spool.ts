import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { BodyBudget } from '../body-budget';
import { noRoom, SpooledBody } from './spooled-body';

const SUFFIX = '.body';

/**
 * Bodies on the disk that are too large for memory, up to `maxBytes` for all of them together; past that they are refused. A file
 * has no name once it is open, so neither an end nor a crash of the process leaves one behind. Processes may share the folder.
 */
export class Spool {
  private readonly room: BodyBudget;

  constructor(
    private readonly directory: string,
    readonly maxBytes: number,
  ) {
    this.room = new BodyBudget(maxBytes);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    chmodSync(directory, 0o700);
    // A process may have died between the opening of a file and the removal of its name.
    for (const name of readdirSync(directory)) {
      if (name.endsWith(SUFFIX)) rmSync(join(directory, name), { force: true });
    }
  }

  /** An empty body. `length`: bytes that are to come, 0 when unknown. Throws `unavailable` when there is no room for them. */
  async open(length: number): Promise<SpooledBody> {
    if (!this.room.take(length)) throw noRoom();
    try {
      return new SpooledBody(await this.openFile(), this.room, length);
    } catch (cause) {
      this.room.give(length);
      throw noRoom(cause);
    }
  }

  private async openFile(): Promise<FileHandle> {
    const path = join(this.directory, randomBytes(16).toString('hex') + SUFFIX);
    const file = await open(path, 'wx+', 0o600);
    try {
      // Another process that starts may have removed the name already.
      await rm(path, { force: true });
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  }
}
