import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { GatewayError, Shares, type Share } from '@gw/kernel';
import { OPENAPI_BOUNDS, OpenApiFault } from '@gw/mcp';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { YamlBounds, YamlReading } from './yaml-thread';

export interface YamlDocumentsOptions {
  /**
   * Maximum number of documents that wait or are being read, of all organisations together. A
   * single organisation can use half of them.
   */
  readonly documentsMax?: number;
  /**
   * Timeout for reading one document, and idle time after which the thread ends, in milliseconds.
   */
  readonly readMs?: number;
  readonly idleMs?: number;
  /** Heap of the thread, in MiB. */
  readonly heapMb?: number;
}

interface Job {
  readonly text: string;
  readonly share: Share;
  readonly resolve: (json: Buffer) => void;
  readonly reject: (error: Error) => void;
}

/** The compiled file, or the source file in specs, because a thread does not use their compiler. */
const THREAD_FILE = join(__dirname, `yaml-thread${extname(__filename)}`);
const YOUNG_HEAP_MB = 32;
const BOUNDS: YamlBounds = {
  depthMax: OPENAPI_BOUNDS.depthMax,
  aliasesMax: OPENAPI_BOUNDS.aliasesMax,
  charactersMax: OPENAPI_BOUNDS.bytesMax,
};

/**
 * Reads YAML documents in a separate thread, so that the process can respond to other requests
 * meanwhile. Reads one document at a time, alternating among organisations. The thread starts with
 * the first document and ends when it has been idle for a while.
 */
export class YamlDocuments implements OnApplicationShutdown {
  /** Waiting documents by organisation; the first organisation is the next one to be served. */
  private readonly waiting = new Map<string, Job[]>();
  private readonly places: Shares;
  private readonly readMs: number;
  private readonly idleMs: number;
  private readonly heapMb: number;
  private current: Job | null = null;
  private thread: Worker | null = null;
  /** Ends a reading that takes too long, or an idle thread. */
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor({
    documentsMax = 32,
    readMs = 10_000,
    idleMs = 30_000,
    heapMb = 192,
  }: YamlDocumentsOptions = {}) {
    this.places = new Shares(documentsMax);
    this.readMs = readMs;
    this.idleMs = idleMs;
    this.heapMb = heapMb;
  }

  /** Whether the thread is running. */
  get isRunning(): boolean {
    return this.thread !== null;
  }

  /**
   * Returns the document as JSON. Rejects with an `OpenApiFault` for a text that is not YAML or
   * takes too much memory or time, and with `rate_limited` when the organisation has the maximum
   * number of documents.
   */
  async read(text: string, organisationId: string): Promise<Buffer> {
    if (this.isClosed) throw new GatewayError('unavailable');
    const share = this.places.of(organisationId, organisationId);
    if (!share.take(1))
      throw new GatewayError('rate_limited', {
        message: 'Too many documents in YAML are being read; retry later, or send JSON.',
        headers: { 'retry-after': '1' },
      });
    try {
      return await new Promise<Buffer>((resolve, reject) => {
        const jobs = this.waiting.get(organisationId) ?? [];
        jobs.push({ text, share, resolve, reject });
        this.waiting.set(organisationId, jobs);
        this.next();
      });
    } finally {
      share.give(1);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    this.isClosed = true;
    const jobs = [...(this.current === null ? [] : [this.current]), ...[...this.waiting.values()].flat()];
    this.waiting.clear();
    this.current = null;
    for (const { reject } of jobs) reject(new GatewayError('unavailable'));
    await this.endThread();
  }

  /** Starts reading the next document unless one is being read. */
  private next(): void {
    if (this.current !== null) return;
    const [first] = this.waiting;
    clearTimeout(this.timer);
    if (first === undefined) {
      this.timer = setTimeout(() => void this.endThread(), this.idleMs).unref();
      return;
    }
    const [organisationId, jobs] = first;
    const job = jobs.shift();
    this.waiting.delete(organisationId);
    if (jobs.length > 0) this.waiting.set(organisationId, jobs);
    if (job === undefined) return;
    this.current = job;
    this.timer = setTimeout(() => {
      void this.endThread();
      this.failed(new OpenApiFault('The document takes too long to read; convert it to JSON.'));
    }, this.readMs).unref();
    (this.thread ?? this.startThread()).postMessage(job.text);
  }

  private startThread(): Worker {
    const thread = new Worker(THREAD_FILE, {
      workerData: BOUNDS,
      // The thread needs no secrets from the environment.
      env: {},
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: this.heapMb, maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
    });
    thread.unref();
    const isCurrent = (): boolean => this.thread === thread;
    thread.on('message', (reading: YamlReading) => {
      if (isCurrent()) this.finished(reading);
    });
    thread.on('error', (error) => {
      if (!isCurrent()) return;
      this.thread = null;
      this.failed(isOutOfMemory(error) ? new OpenApiFault(TOO_MUCH_MEMORY) : (error as Error));
    });
    thread.on('exit', () => {
      if (!isCurrent()) return;
      this.thread = null;
      this.failed(new Error('The thread that reads YAML has ended.'));
    });
    this.thread = thread;
    return thread;
  }

  private async endThread(): Promise<void> {
    clearTimeout(this.timer);
    const { thread } = this;
    this.thread = null;
    await thread?.terminate();
  }

  private finished(reading: YamlReading): void {
    const job = this.current;
    this.current = null;
    switch (reading.kind) {
      case 'json':
        job?.resolve(Buffer.from(reading.bytes.buffer));
        break;
      case 'invalid':
        job?.reject(new OpenApiFault(`The document is neither JSON nor YAML: ${reading.reason}.`));
        break;
      case 'too_large':
        job?.reject(new OpenApiFault(TOO_LARGE));
        break;
    }
    this.next();
  }

  private failed(error: Error): void {
    const job = this.current;
    this.current = null;
    job?.reject(error);
    this.next();
  }
}

const TOO_LARGE = `The document has more than ${String(BOUNDS.depthMax)} levels, or ${String(
  BOUNDS.charactersMax,
)} characters when its aliases are resolved.`;
const TOO_MUCH_MEMORY = 'The document takes too much memory to read; convert it to JSON.';

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
