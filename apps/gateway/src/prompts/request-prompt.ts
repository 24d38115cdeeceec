import type { Buffer } from 'node:buffer';
import type { PromptRecord } from '@gw/contracts';

/** The saved prompt that one request names. */
export class RequestPrompt {
  /** The rendered prompt, for a request that wants no more than that. */
  rendered: Buffer | null = null;

  constructor(readonly record: PromptRecord) {}
}
