import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Shares, type Share } from '@gw/kernel';
import { noRoom, SpooledBody } from './spooled-body';

const SUFFIX = '.body';

/**
 * Stores bodies that are too large for memory on disk, up to `maxBytes` in total, shared by
 * workspaces; above that bodies are refused. A file is unlinked once it is open, so neither an exit
 * nor a crash of the process leaves one behind. Processes may share the folder.
 */
export class Spool {
  private readonly room: Shares;

  constructor(
    private readonly directory: string,
    readonly maxBytes: number,
  ) {
    this.room = new Shares(maxBytes);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    chmodSync(directory, 0o700);
    // A process may have crashed between opening a file and unlinking it.
    for (const name of readdirSync(directory)) {
      if (name.endsWith(SUFFIX)) rmSync(join(directory, name), { force: true });
    }
  }

  /** Bytes of the largest body that fits when the spool is empty. */
  get largest(): number {
    return this.room.largest;
  }

  /**
   * Creates an empty body for a workspace. `length` is the expected number of bytes, 0 when
   * unknown; it is checked now, but bytes are reserved only as they arrive. Rejects with
   * `unavailable` when the workspace's share has no room.
   */
  async open(
    workspace: { readonly id: string; readonly organisationId: string },
    length: number,
  ): Promise<SpooledBody> {
    const share: Share = this.room.of(workspace.id, workspace.organisationId);
    if (!share.fits(length)) throw noRoom();
    try {
      return new SpooledBody(await this.openFile(), share);
    } catch (cause) {
      throw noRoom(cause);
    }
  }

  private async openFile(): Promise<FileHandle> {
    const path = join(this.directory, randomBytes(16).toString('hex') + SUFFIX);
    const file = await open(path, 'wx+', 0o600);
    try {
      // Another process that starts may have removed the file already.
      await rm(path, { force: true });
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  }
}
