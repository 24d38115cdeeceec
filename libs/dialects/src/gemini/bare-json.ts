const [LF, CR, SPACE, TAB] = [0x0a, 0x0d, 0x20, 0x09];
const STARTS = [Buffer.from('\n{'), Buffer.from('\n[')];
/** Maximum number of bytes of the JSON. */
const JSON_MAX = 8 * 1024 * 1024;

/**
 * Finds JSON outside the events of a stream. Google sends errors in this form, and some proxies
 * send a list of responses instead of events. Lines of an event stream never begin with a brace or
 * bracket.
 */
export class BareJson {
  private readonly chunks: Buffer[] = [];
  private size = 0;
  private isLineStart = true;

  get isFound(): boolean {
    return this.size > 0;
  }

  /**
   * Takes a chunk and returns the part that belongs to events. Once JSON has begun, the rest of the
   * stream belongs to it.
   */
  split(chunk: Buffer): Buffer {
    const at = this.isFound ? 0 : this.startIn(chunk);
    if (at < 0) {
      const last = chunk.at(-1);
      if (last !== undefined) this.isLineStart = last === LF || last === CR;
      return chunk;
    }
    this.size += chunk.length - at;
    if (this.size <= JSON_MAX) this.chunks.push(chunk.subarray(at));
    return chunk.subarray(0, at);
  }

  /**
   * Returns the values: the items of a list, or the value itself; nothing when it is not JSON or
   * larger than 8 MiB.
   */
  values(): readonly unknown[] {
    if (this.size > JSON_MAX) return [];
    try {
      const value: unknown = JSON.parse(Buffer.concat(this.chunks).toString('utf8'));
      return Array.isArray(value) ? (value as unknown[]) : [value];
    } catch {
      return [];
    }
  }

  private startIn(chunk: Buffer): number {
    if (this.isLineStart) {
      const first = chunk.findIndex((byte) => byte !== SPACE && byte !== TAB && byte !== LF && byte !== CR);
      if (first >= 0 && isStart(chunk[first])) return first;
    }
    const found = STARTS.map((start) => chunk.indexOf(start)).filter((at) => at >= 0);
    return found.length === 0 ? -1 : Math.min(...found) + 1;
  }
}

const isStart = (byte: number | undefined): boolean => byte === 0x7b || byte === 0x5b;
