import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';
import type { DocumentKey, ReadModelDocument } from '@gw/contracts';
import { seal, unseal, type Keyring } from '@gw/kernel';

const FORMAT = 'read-model/1';
/** Characters of JSON text in one sealed line: small enough that sealing it holds the event loop for a millisecond or two. */
const LINE_SIZE = 256 * 1024;
/** A save that took long makes the next one wait this many times as long, so that saving takes at most 2 % of the time. */
const REST = 50;

export interface StoredDocument {
  readonly key: DocumentKey;
  readonly document: ReadModelDocument;
  /** Its length as JSON text. */
  readonly size: number;
  /** Known not to be the newest. */
  readonly changed: boolean;
}

export interface DiskCopyContent {
  /** Documents that are not `changed` were right at this sequence. */
  readonly sequence: number | null;
  /** The ones to keep first come first. */
  readonly documents: readonly StoredDocument[];
}

export interface DiskCopyOptions {
  readonly path: string;
  readonly ring: Keyring;
  readonly limits: { readonly diskIntervalMs: number; readonly diskBytesMax: number };
  readonly warn: (message: string, error?: unknown) => void;
  /** What to write, read when it is written. */
  readonly content: () => DiskCopyContent;
}

interface Header {
  readonly format: string;
  readonly id: string;
  readonly lines: number;
  readonly sequence: number | null;
}

/**
 * The read model's sealed copy on disk: a header and lines of documents, each sealed to its place in this file, so that a file
 * that was cut, spliced or made with another key does not open. Written next to the old file and moved over it, mode 0600.
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

  /** The copy, or null when there is none that can be trusted; a broken one is reported in one warning. */
  async read(): Promise<DiskCopyContent | null> {
    const { path, limits, warn } = this.options;
    try {
      const { size } = await stat(path);
      // Sealing makes text a third longer; a file beyond that is not ours.
      if (size > limits.diskBytesMax * 2) throw new Error('The file is larger than a copy may be.');
      return this.open(await readFile(path, 'latin1'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      warn('The read model on disk cannot be used and is ignored.', error);
      return null;
    }
  }

  /** Something changed: the file is written soon, at most once in the interval. */
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

  /** Writes what was not written yet. */
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
      if (!this.warned) warn('The read model cannot be written to disk.', error);
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
    if (header.format !== FORMAT || lines.length !== header.lines + 2) throw new Error('The file is cut.');
    const documents: StoredDocument[] = [];
    for (let index = 0; index < header.lines; index += 1) {
      const group = unseal(this.ring, lines[index + 1] ?? '', place(header.id, index)).toString('utf8');
      documents.push(...(JSON.parse(group) as StoredDocument[]));
    }
    return { sequence: header.sequence, documents };
  }
}

const place = (id: string, index: number): string => `${FORMAT}/${id}/${String(index)}`;

/** Documents in groups of about one line, as many as fit in `bytesMax` after sealing. */
function grouped(documents: readonly StoredDocument[], bytesMax: number): StoredDocument[][] {
  const groups: StoredDocument[][] = [];
  let line: StoredDocument[] = [];
  let lineSize = LINE_SIZE;
  let total = 0;
  for (const stored of documents) {
    // A third for base64, and the key with its names.
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
