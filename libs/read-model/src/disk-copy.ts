import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';
import type { DocumentKey, ReadModelDocument } from '@gw/contracts';
import { seal, unseal, type Keyring } from '@gw/kernel';

const FORMAT = 'read-model/1';
/**
 * Characters of JSON text per encrypted line: small enough that encrypting it blocks the event loop
 * for at most 2 ms.
 */
const LINE_SIZE = 256 * 1024;
/**
 * The next save waits this many times the duration of the last one, so that saving takes at most 2
 * % of the time.
 */
const REST = 50;

export interface StoredDocument {
  readonly key: DocumentKey;
  readonly document: ReadModelDocument;
  /** Length as JSON text, in characters. */
  readonly size: number;
  /** Known not to be the newest version. */
  readonly changed: boolean;
}

export interface DiskCopyContent {
  /** Documents that are not `changed` were current at this sequence. */
  readonly sequence: number | null;
  /** Sorted by importance; the most important comes first. */
  readonly documents: readonly StoredDocument[];
}

export interface DiskCopyOptions {
  readonly path: string;
  readonly ring: Keyring;
  readonly limits: { readonly diskIntervalMs: number; readonly diskBytesMax: number };
  readonly warn: (message: string, error?: unknown) => void;
  /** Returns what to write; called when the file is written. */
  readonly content: () => DiskCopyContent;
}

interface Header {
  readonly format: string;
  readonly id: string;
  readonly lines: number;
  readonly sequence: number | null;
}

/**
 * The read model's encrypted copy on disk.
 * The file has a header and lines of documents, each bound to its place in this file, so that a
 * file that was cut, spliced or written with another key cannot be decrypted. A new file is written
 * next to the old one and renamed over it, with mode 0600.
 */
export class DiskCopy {
  private readonly ring: Keyring;
  private timer: NodeJS.Timeout | null = null;
  private saving: Promise<void> | null = null;
  private dirty = false;
  private lastSaveMs = 0;
  private warned = false;
  private closed = false;

  constructor(private readonly options: DiskCopyOptions) {
    this.ring = options.ring;
  }

  /**
   * Reads the copy; returns null when there is no trustworthy one. A broken copy causes one
   * warning.
   */
  async read(): Promise<DiskCopyContent | null> {
    const { path, limits, warn } = this.options;
    try {
      const { size } = await stat(path);
      // Encryption makes the text a third longer; a larger file was not written by this class.
      if (size > limits.diskBytesMax * 2) throw new Error('the file is larger than a copy may be');
      return this.open(await readFile(path, 'latin1'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      warn('ignored an unusable read model on disk', error);
      return null;
    }
  }

  /** Schedules a save, at most one per interval. */
  changed(): void {
    this.dirty = true;
    if (this.timer !== null || this.saving !== null || this.closed) return;
    const { diskIntervalMs } = this.options.limits;
    this.timer = setTimeout(
      () => {
        this.timer = null;
        void this.save();
      },
      Math.max(diskIntervalMs, this.lastSaveMs * REST),
    );
    this.timer.unref();
  }

  /** Writes pending changes and stops saving. */
  async close(): Promise<void> {
    this.closed = true;
    if (this.timer !== null) clearTimeout(this.timer);
    await this.saving;
    if (this.dirty) await this.save();
  }

  private async save(): Promise<void> {
    this.dirty = false;
    this.saving = this.write();
    await this.saving;
    this.saving = null;
    if (this.dirty && !this.closed) this.changed();
  }

  private async write(): Promise<void> {
    const { path, content, warn } = this.options;
    const temporary = `${path}.${String(process.pid)}.tmp`;
    const started = performance.now();
    try {
      const file = await open(temporary, 'w', 0o600);
      try {
        await this.writeLines(file, content());
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, path);
      this.warned = false;
    } catch (error) {
      if (!this.warned) warn('failed to write the read model to disk', error);
      this.warned = true;
      await rm(temporary, { force: true }).catch(() => undefined);
    }
    this.lastSaveMs = performance.now() - started;
  }

  private async writeLines(file: FileHandle, { sequence, documents }: DiskCopyContent): Promise<void> {
    const id = randomUUID();
    const groups = grouped(documents, this.options.limits.diskBytesMax);
    const header: Header = { format: FORMAT, id, lines: groups.length, sequence };
    await file.write(`${seal(this.ring, JSON.stringify(header), FORMAT)}\n`);
    for (const [index, group] of groups.entries()) {
      await file.write(`${seal(this.ring, JSON.stringify(group), place(id, index))}\n`);
      await turn();
    }
  }

  private open(text: string): DiskCopyContent {
    const lines = text.split('\n');
    const header = JSON.parse(unseal(this.ring, lines[0] ?? '', FORMAT).toString('utf8')) as Header;
    if (header.format !== FORMAT || lines.length !== header.lines + 2) throw new Error('the file is cut');
    const documents: StoredDocument[] = [];
    for (let index = 0; index < header.lines; index += 1) {
      const group = unseal(this.ring, lines[index + 1] ?? '', place(header.id, index)).toString('utf8');
      documents.push(...(JSON.parse(group) as StoredDocument[]));
    }
    return { sequence: header.sequence, documents };
  }
}

const place = (id: string, index: number): string => `${FORMAT}/${id}/${String(index)}`;

/** Groups documents into lines, as many as fit in `bytesMax` after encryption. */
function grouped(documents: readonly StoredDocument[], bytesMax: number): StoredDocument[][] {
  const groups: StoredDocument[][] = [];
  let line: StoredDocument[] = [];
  let lineSize = LINE_SIZE;
  let total = 0;
  for (const stored of documents) {
    // Base64 adds a third, and the key is stored with each document.
    const size = Math.ceil((stored.size + stored.key.length + 64) * 1.34);
    if (total + size > bytesMax) break;
    total += size;
    if (lineSize + size > LINE_SIZE) {
      line = [];
      groups.push(line);
      lineSize = 0;
    }
    line.push(stored);
    lineSize += size;
  }
  return groups;
}
