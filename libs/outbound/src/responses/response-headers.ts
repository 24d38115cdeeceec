/**
 * Headers of a response: a flat list of lower-case names and values, searched on demand because few
 * are read.
 */
export class ResponseHeaders {
  constructor(private readonly raw: readonly string[]) {}

  /** Returns the first value of a header by its lower-case name. */
  get(name: string): string | undefined {
    const { raw } = this;
    for (let at = 0; at + 1 < raw.length; at += 2) if (raw[at] === name) return raw[at + 1];
    return undefined;
  }
}
