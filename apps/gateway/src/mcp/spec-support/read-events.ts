import { eventually } from '@gw/testing';

/** An event of a stream as a client gets it. */
export interface ReadEvent {
  readonly id: string | null;
  readonly data: string;
}

/** Reads the stream of a response in the background. */
export class EventReader {
  text = '';
  isEnded = false;

  private constructor(
    readonly status: number,
    private readonly leaving: AbortController,
  ) {}

  /** Sends the request; resolves with its head. */
  static async open(url: string, init: RequestInit): Promise<EventReader> {
    const leaving = new AbortController();
    const response = await fetch(url, { ...init, signal: leaving.signal });
    const reader = new EventReader(response.status, leaving);
    void reader.read(response);
    return reader;
  }

  /** Events so far, without comments. */
  get events(): readonly ReadEvent[] {
    return this.text
      .split('\n\n')
      .slice(0, -1)
      .map((block) => ({ id: field(block, 'id'), data: field(block, 'data') ?? '' }))
      .filter(({ id, data }) => id !== null || data !== '');
  }

  /** Parsed messages so far. */
  get messages(): readonly Readonly<Record<string, unknown>>[] {
    return this.events.filter(({ data }) => data !== '').map(({ data }) => JSON.parse(data) as never);
  }

  get lastId(): string {
    return this.events.findLast(({ id }) => id !== null)?.id ?? '';
  }

  /** Waits until the text of the stream contains a part. */
  async until(part: string): Promise<void> {
    await eventually(() => {
      if (!this.text.includes(part)) throw new Error(`The stream has no ${part}:\n${this.text}`);
      return true;
    });
  }

  async untilEnd(): Promise<void> {
    await eventually(() => this.isEnded);
  }

  /** Disconnects, as a client that loses its network does. */
  leave(): void {
    this.leaving.abort();
  }

  private async read(response: Response): Promise<void> {
    try {
      for await (const chunk of response.body ?? []) this.text += Buffer.from(chunk).toString('utf8');
    } catch {
      // The client left.
    }
    this.isEnded = true;
  }
}

const field = (block: string, name: string): string | null =>
  block
    .split('\n')
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2) ?? null;
