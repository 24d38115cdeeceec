import type { CallAddress } from '@gw/dialects';
import type { Upstream } from '../core/upstream';
import type { GeminiAddress } from '../routes/gemini-path';
import { withoutSlug } from './targeting';

/** Converts the path of a Gemini client into a call address with the target's model. */
export function callAddress(
  { model, stream }: GeminiAddress,
  upstream: Pick<Upstream, 'model'>,
): CallAddress {
  const called = upstream.model ?? (model === null ? null : withoutSlug(model));
  return called === null ? { stream } : { model: called, stream };
}
