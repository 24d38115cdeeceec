import { GatewayError } from '@gw/kernel';
import type { JsonObject } from '../call';
import { CLIENT_CODECS } from '../codecs';
import type { ProviderCodec, ProviderContext } from '../codec';
import type { Loss, LossMode } from '@gw/kernel';
import { LossLedger } from '../losses';
import type { ModelResponse, StreamEvent } from '../response';
import { targetOf, type ProviderTraits, type Target } from '../target';
import { framed } from './framing';

export interface SideOptions {
  readonly model?: string;
  /** Dialect of the client; `openai-chat` when absent. */
  readonly from?: string;
  readonly loss?: LossMode;
  readonly traits?: ProviderTraits;
}

const CHAT: JsonObject = { messages: [{ role: 'user', content: 'Hi' }] };

const targetFor = (provider: ProviderCodec, { model = 'm', traits = {} }: SideOptions): Target =>
  targetOf({ provider: provider.dialect, dialect: provider.dialect, model, traits });

/**
 * Encodes a client's call for a provider. Returns the sent body and the losses. `body` holds
 * members of the client's body.
 */
export function encoded(
  provider: ProviderCodec,
  body: JsonObject,
  options: SideOptions = {},
): { readonly path: string; readonly body: JsonObject; readonly losses: readonly Loss[] } {
  const client = CLIENT_CODECS.get(options.from ?? 'openai-chat');
  if (client === undefined) throw new Error(`No client codec ${String(options.from)}`);
  const target = targetFor(provider, options);
  const losses = new LossLedger(options.loss ?? 'strict', target);
  const call = client.decodeCall({ model: 'm', ...(options.from === undefined ? CHAT : {}), ...body });
  const sent = provider.encodeCall(call, target, losses);
  losses.check();
  return {
    path: sent.path,
    body: JSON.parse(JSON.stringify(sent.body)) as JsonObject,
    losses: losses.losses,
  };
}

/** Returns type and path of the error that `run` throws. */
export function refusal(run: () => unknown): readonly [type: string, path: string | undefined] {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof GatewayError) return [thrown.type, thrown.options.param];
    throw thrown;
  }
  throw new Error('The call was not refused.');
}

function contextFor(provider: ProviderCodec, request: JsonObject, options: SideOptions): ProviderContext {
  const client = CLIENT_CODECS.get('openai-chat');
  if (client === undefined) throw new Error('No client codec');
  return {
    call: client.decodeCall({ model: 'm', ...CHAT, ...request }),
    target: targetFor(provider, options),
    requestId: 'req_1',
    createdAt: 1_700_000_000,
  };
}

export const decoded = (
  provider: ProviderCodec,
  body: JsonObject,
  request: JsonObject = {},
  options: SideOptions = {},
): ModelResponse => provider.decodeResponse(body, contextFor(provider, request, options));

/** Returns the events of a stream with these frames, which is read byte by byte. */
export function streamed(
  provider: ProviderCodec,
  frames: readonly JsonObject[],
  end: 'complete' | 'cut' | 'cut-in-frame' = 'complete',
  request: JsonObject = {},
): StreamEvent[] {
  const decoder = provider.decodeStream(contextFor(provider, request, {}));
  const events: StreamEvent[] = [];
  for (const byte of framed(provider.dialect, frames, end)) events.push(...decoder.write(Buffer.of(byte)));
  return [...events, ...decoder.end()];
}

/** Returns the events of raw text, which is read as one chunk. */
export function streamedText(provider: ProviderCodec, text: string): StreamEvent[] {
  const decoder = provider.decodeStream(contextFor(provider, {}, {}));
  return [...decoder.write(Buffer.from(text)), ...decoder.end()];
}
