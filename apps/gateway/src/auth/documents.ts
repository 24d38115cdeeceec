import type { DocumentKey, ReadModelDocument } from '@gw/contracts';

/** The part of the read model that callers are resolved from. */
export interface Documents {
  get(key: DocumentKey): ReadModelDocument | null | undefined;
  load(key: DocumentKey): Promise<ReadModelDocument | null>;
  /** Documents in memory whose keys start with `prefix`; possibly not all that exist. */
  known(prefix: DocumentKey): readonly ReadModelDocument[];
}

/** Documents that can be read again before their change event has arrived. */
export interface ReloadableDocuments extends Documents {
  /** Reads the document from the control plane, even if it is in memory. */
  reload(key: DocumentKey): Promise<ReadModelDocument | null>;
}

/** Reads the document of a key from memory or from the control plane; null when there is none. */
export async function readDocument(
  documents: Pick<Documents, 'get' | 'load'>,
  key: DocumentKey,
): Promise<ReadModelDocument | null> {
  const known = documents.get(key);
  return known === undefined ? documents.load(key) : known;
}
