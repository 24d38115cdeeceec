import { useMemo, type ReactElement } from 'react';
import { TEXT_MAX, type HttpMessages, type GatewayApi } from '../../../gateway';
import { playground as text } from '../../../messages';
import { BodyView, Media, type LoggedBody } from '../../../ui/body';
import { isJson, listOf, textOf } from '../../../ui/body/conversation';

interface ReceivedBodyProps {
  readonly api: GatewayApi;
  readonly httpMessages: HttpMessages;
}

/**
 * Converts a response to the form of a logged body: JSON, text of at most `TEXT_MAX` characters, or
 * media in base64.
 */
export function bodyOf({ received, isText, isCut, bytes, receivedHeaders }: HttpMessages): LoggedBody {
  const shared = { content_type: receivedHeaders?.get('content-type') ?? null, bytes, truncated: isCut };
  if (!isText) return { ...shared, encoding: 'base64', body: received };
  try {
    return { ...shared, encoding: 'json', body: JSON.parse(received) as unknown };
  } catch {
    return {
      ...shared,
      truncated: isCut || received.length > TEXT_MAX,
      encoding: received === '' ? null : 'utf8',
      body: received.slice(0, TEXT_MAX),
    };
  }
}

/** Returns the base64 images that the response contains. */
const imagesOf = (value: unknown): readonly string[] =>
  isJson(value)
    ? listOf(value['data']).flatMap((item) => (isJson(item) ? (textOf(item['b64_json']) ?? []) : []))
    : [];

/** Shows the response of an API that does not return text. */
export function ReceivedBody({ api, httpMessages }: ReceivedBodyProps): ReactElement {
  const body = useMemo(() => bodyOf(httpMessages), [httpMessages]);
  const images = api === 'images' ? imagesOf(body.body) : [];
  return (
    <>
      {images.map((image, at) => (
        // Two images can have the same beginning, or be equal.
        <Media key={at} type="image/*" base64={image} url={null} />
      ))}
      <BodyView
        label={text.response}
        body={body}
        {...(api === 'embeddings' ? { route: api, as: 'conversation', side: 'response' } : {})}
      />
    </>
  );
}
