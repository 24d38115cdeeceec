import type { Usage } from '@gw/contracts';
import { asObject, cohereUsage, readCount } from '@gw/dialects';
import type { JsonObject, Provider, StreamTap } from '../../provider';
import { CodecTap, ledgerUsage } from '../../stream/codec-tap';
import { DetectedTap } from '../../stream/detected-tap';
import { providerCodec } from '../../translation/hub-translator';
import { openAiSpeaker } from '../openai/openai-compatible';
import { openAiTap } from '../openai/tap';
import { openAiUsage } from '../openai/usage';

/**
 * Reads usage of `/v2/chat`, of embeddings and ranked documents, and of the OpenAI-compatible API.
 */
export function usageOfCohere(body: JsonObject): Usage | null {
  const own = cohereUsage(body['usage']);
  return own === undefined ? (openAiUsage(body) ?? billedUsage(body)) : ledgerUsage(own);
}

/** Reads billed units, the only usage that embeddings report. */
function billedUsage(body: JsonObject): Usage | null {
  const billed = asObject(asObject(body['meta'])?.['billed_units'])?.['input_tokens'];
  const input = typeof billed === 'number' ? readCount(billed) : null;
  return input === null ? null : openAiUsage({ usage: { prompt_tokens: input } });
}

export const cohereTap = (): StreamTap =>
  new DetectedTap(() => new CodecTap('cohere', providerCodec('cohere-v2')), openAiTap);

/** The common part of providers that speak Cohere's API, version 2, next to OpenAI's. */
export const cohereSpeaker = {
  ...openAiSpeaker,
  usage: usageOfCohere,
  tap: cohereTap,
} as const satisfies Partial<Provider>;
