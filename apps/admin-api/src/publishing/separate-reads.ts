import type { DocumentKey, DocumentsResponse } from '@gw/contracts';
import { describeFault, toPublicError } from '@gw/web';
import { Logger } from '@nestjs/common';

type Read = (keys: readonly DocumentKey[]) => Promise<DocumentsResponse>;

const logger = new Logger('DocumentsService');

/**
 * Reads documents together. When that fails because of one of them, such as a secret that no
 * configured key opens, halves the keys until it is alone, and leaves it out: the rows of one tenant
 * must not withhold the documents of others. Rejects while the database cannot respond.
 */
export async function readSeparately(keys: readonly DocumentKey[], read: Read): Promise<DocumentsResponse> {
  try {
    return await read(keys);
  } catch (error) {
    const [first] = keys;
    if (first === undefined || toPublicError(error).type === 'unavailable') throw error;
    if (keys.length === 1) {
      logger.error({ kind: first.split(':', 1)[0], ...describeFault(error) }, 'failed to build a document');
      return read([]);
    }
    const middle = Math.ceil(keys.length / 2);
    const one = await readSeparately(keys.slice(0, middle), read);
    const other = await readSeparately(keys.slice(middle), read);
    return {
      sequence: Math.min(one.sequence, other.sequence),
      documents: { ...one.documents, ...other.documents },
    };
  }
}
