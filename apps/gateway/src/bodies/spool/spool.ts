import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Shares, type Share } from '@gw/kernel';
import { noRoom, SpooledBody } from './spooled-body';

const SUFFIX = '.body';

/**
 * Bodies on the disk that are too large for memory, up to `maxBytes` for all of them together, shared by workspaces; past that
 * they are refused. A file
 * has no name once it is open, so neither an end nor a crash of the process leaves one behind. Processes may share the folder.
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
    // A process may have died between the opening of a file and the removal of its name.
    for (const name of readdirSync(directory)) {
      if (name.endsWith(SUFFIX)) rmSync(join(directory, name), { force: true });
    }
  }

  /** The largest body that there is room for when nothing else is there. */
  get largest(): number {
    return this.room.largest;
  }

  /**
   * An empty body of a workspace. `length`: bytes that are to come, 0 when unknown; they hold nothing before they come. Throws
   * `unavailable` when the workspace's share has no room for them now.
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
      // Another process that starts may have removed the name already.
      await rm(path, { force: true });
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  }
}
