/** Headers of a response, of which few are ever read: names in lower case and values in turn. */
export class ResponseHeaders {
  constructor(private readonly raw: readonly string[]) {}

  /** The first value of a header, by its name in lower case. */
  get(name: string): string | undefined {
    const { raw } = this;
    for (let at = 0; at + 1 < raw.length; at += 2) if (raw[at] === name) return raw[at + 1];
    return undefined;
  }
}
