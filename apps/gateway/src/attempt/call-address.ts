import type { CallAddress } from '@gw/dialects';
import type { Upstream } from '../core/upstream';
import type { GeminiAddress } from '../routes/gemini-path';
import { withoutSlug } from './targeting';

/** What the path of a Gemini client says of its call, with the model that the target sets. */
export function callAddress(
  { model, stream }: GeminiAddress,
  upstream: Pick<Upstream, 'model'>,
): CallAddress {
  const called = upstream.model ?? (model === null ? null : withoutSlug(model));
  return called === null ? { stream } : { model: called, stream };
}
