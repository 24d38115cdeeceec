/** Maximum number of stored changes of the character width; offsets beyond cannot be converted. */
const RUNS_MAX = 50_000;

interface Run {
  readonly byte: number;
  readonly unit: number;
  /** UTF-8 bytes and UTF-16 code units of one character. */
  readonly width: number;
  readonly units: number;
}

/**
 * Converts between UTF-8 bytes and UTF-16 code units of a text that is read once and not stored.
 */
export class ByteOffsets {
  private readonly runs: Run[] = [];
  private bytes = 0;
  private units = 0;

  get byteLength(): number {
    return this.bytes;
  }

  add(text: string): void {
    if (this.runs.length > RUNS_MAX) return;
    const bytes = Buffer.byteLength(text);
    if (bytes === text.length) {
      this.extend(1, 1, text.length);
      return;
    }
    for (const character of text) this.extend(widthOf(character.codePointAt(0) ?? 0), character.length, 1);
  }

  /** Returns the index of the code unit at a byte; undefined outside of the text. */
  unitAt(byte: number): number | undefined {
    return this.convert(byte, 'byte', 'unit');
  }

  /** Returns the index of the byte at a code unit; undefined outside of the text. */
  byteAt(unit: number): number | undefined {
    return this.convert(unit, 'unit', 'byte');
  }

  private extend(width: number, units: number, characters: number): void {
    if (characters === 0) return;
    const last = this.runs.at(-1);
    if (last?.width !== width) this.runs.push({ byte: this.bytes, unit: this.units, width, units });
    this.bytes += width * characters;
    this.units += units * characters;
  }

  private convert(at: number, from: 'byte' | 'unit', to: 'byte' | 'unit'): number | undefined {
    const length = from === 'byte' ? this.bytes : this.units;
    if (!Number.isInteger(at) || at < 0 || at > length || this.runs.length > RUNS_MAX) return undefined;
    let [low, high] = [0, this.runs.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.runs[middle]?.[from] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    const run = this.runs[low];
    if (run === undefined) return 0;
    const [size, other] = from === 'byte' ? [run.width, run.units] : [run.units, run.width];
    return run[to] + Math.floor((at - run[from]) / size) * other;
  }
}

function widthOf(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}
