import { list, object, text, type Json } from './json-values';

export function foldGemini(events: readonly Json[]): Json {
  const result: Json = {};
  const candidates = new Map<number, Json>();
  for (const event of events) {
    for (const name of ['usageMetadata', 'modelVersion', 'responseId', 'promptFeedback']) {
      if (event[name] !== undefined) result[name] = event[name];
    }
    for (const candidate of list(event['candidates'])) {
      const index = Number(candidate['index'] ?? 0);
      const found = candidates.get(index) ?? { index, content: { role: 'model', parts: [] as Json[] } };
      candidates.set(index, found);
      for (const part of list(object(candidate['content'] ?? {})['parts']))
        addGeminiPart(object(found['content'])['parts'] as Json[], part);
      for (const name of ['finishReason', 'groundingMetadata', 'citationMetadata']) {
        if (candidate[name] !== undefined) found[name] = candidate[name];
      }
    }
  }
  return { ...result, candidates: [...candidates.values()] };
}

function addGeminiPart(parts: Json[], part: Json): void {
  const last = parts.at(-1);
  const joins =
    typeof part['text'] === 'string' &&
    typeof last?.['text'] === 'string' &&
    part['thought'] === last['thought'] &&
    last['thoughtSignature'] === undefined;
  if (last !== undefined && joins)
    parts[parts.length - 1] = { ...last, ...part, text: text(last['text']) + text(part['text']) };
  else parts.push({ ...part });
}
