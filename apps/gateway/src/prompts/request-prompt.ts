import type { Buffer } from 'node:buffer';
import type { PromptRecord } from '@gw/contracts';

/** The saved prompt that one request names. */
export class RequestPrompt {
  /** The rendered prompt, if the request is for that only. */
  rendered: Buffer | null = null;

  constructor(readonly record: PromptRecord) {}
}
