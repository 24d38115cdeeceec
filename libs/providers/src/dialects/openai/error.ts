import { asObject, asString } from '@gw/dialects';
import type { JsonObject, ProviderError } from '../../provider';

const textOf = (value: unknown): string | null =>
  typeof value === 'number' ? String(value) : asString(value);

/**
 * Reads error bodies of OpenAI-compatible providers: `{ error: { message, type, code } }`, `{
 * error: "text" }`, flat `{ message | detail, type, code | error_code }`, and Cloudflare's `{
 * errors: [{ message, code }] }`. Returns null when the body is not an error.
 */
export function openAiError(body: JsonObject): ProviderError | null {
  const nested = asObject(body['error']);
  if (nested !== null) {
    const { message, type, code } = nested;
    // Gemini's compatibility layer puts its error name in `status`.
    return {
      message: asString(message) ?? 'The provider gave no error message.',
      type: asString(type) ?? asString(nested['status']),
      code: textOf(code),
      ...paramOf(nested),
    };
  }
  const message = asString(body['error']) ?? asString(body['message']) ?? detailText(body['detail']);
  if (message === null) return firstOf(body['errors']);
  const code = textOf(body['code']) ?? textOf(body['error_code']);
  return { message, type: asString(body['type']), code, ...paramOf(body) };
}

/** Reads the first of a list of `{ message, code }`. */
function firstOf(errors: unknown): ProviderError | null {
  const first = Array.isArray(errors) ? asObject(errors[0]) : null;
  const message = asString(first?.['message']);
  return message === null ? null : { message, type: null, code: textOf(first?.['code']) };
}

const paramOf = ({ param }: JsonObject): { readonly param?: string } =>
  typeof param === 'string' ? { param } : {};

/**
 * Reads `detail` of FastAPI servers (vLLM, SambaNova, …): a text, a list of `{ loc, msg }`, or an
 * object with an `error` or a `message`.
 */
function detailText(detail: unknown): string | null {
  if (typeof detail === 'string') return detail;
  if (!Array.isArray(detail)) {
    const nested = asObject(detail);
    return asString(nested?.['error']) ?? asString(nested?.['message']);
  }
  const texts = detail.slice(0, 8).map((item) => asString(asObject(item)?.['msg']));
  return texts.filter((text) => text !== null).join('; ') || null;
}
