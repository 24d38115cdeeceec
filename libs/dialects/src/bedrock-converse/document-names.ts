/** Maximum characters of a document's name. */
const NAME_MAX = 200;
/** Maximum characters of a client's name that are read. */
const READ_MAX = 1_024;
/** Characters of the longest number that makes a name unique. */
const NUMBER_MAX = 8;

/**
 * Creates document names that Bedrock accepts: unique in the request, and the same in each request
 * of a conversation.
 */
export class DocumentNames {
  private readonly used = new Map<string, number>();
  private documents = 0;

  /** Returns the name to send, and whether the gateway generated it. */
  take(clientName: string | undefined): { readonly name: string; readonly isMade: boolean } {
    this.documents += 1;
    const plain = plainName(clientName ?? '');
    return {
      name: this.unique(plain === '' ? `document-${String(this.documents)}` : plain),
      isMade: plain === '',
    };
  }

  private unique(name: string): string {
    let count = this.used.get(name) ?? 0;
    let made = name;
    while (this.used.has(made)) {
      count += 1;
      made = `${name.slice(0, NAME_MAX - NUMBER_MAX)}-${String(count + 1)}`;
    }
    this.used.set(name, count);
    if (made !== name) this.used.set(made, 0);
    return made;
  }
}

/** Returns a name without its extension, with only characters that Bedrock accepts. */
function plainName(clientName: string): string {
  const name = clientName.slice(0, READ_MAX);
  const dot = name.lastIndexOf('.');
  const stem = dot > 0 && /^[A-Za-z0-9]{1,8}$/.test(name.slice(dot + 1)) ? name.slice(0, dot) : name;
  return stem
    .replace(/[^A-Za-z0-9 ()[\]-]/g, '-')
    .replace(/ {2,}/g, ' ')
    .trim()
    .slice(0, NAME_MAX)
    .trim();
}
