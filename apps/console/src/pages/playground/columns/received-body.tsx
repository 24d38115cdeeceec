import type { ReactElement } from 'react';
import type { Exchange, GatewayApi } from '../../../gateway';
import { playground as text } from '../../../messages';
import { BodyView, Media, type LoggedBody } from '../../../ui/body';
import { isJson, listOf, textOf } from '../../../ui/body/conversation';

interface ReceivedBodyProps {
  readonly api: GatewayApi;
  readonly exchange: Exchange;
}

/** Converts a response to the form of a logged body: JSON, text, or media in base64. */
export function bodyOf({ received, isText, bytes, receivedHeaders }: Exchange): LoggedBody {
  const shared = { content_type: receivedHeaders?.get('content-type') ?? null, bytes, truncated: false };
  if (!isText) return { ...shared, encoding: 'base64', body: received };
  try {
    return { ...shared, encoding: 'json', body: JSON.parse(received) as unknown };
  } catch {
    return { ...shared, encoding: received === '' ? null : 'utf8', body: received };
  }
}

/** Returns the base64 images that the response contains. */
const imagesOf = (value: unknown): readonly string[] =>
  isJson(value)
    ? listOf(value['data']).flatMap((item) => (isJson(item) ? (textOf(item['b64_json']) ?? []) : []))
    : [];

/** Shows the response of an API that does not return text. */
export function ReceivedBody({ api, exchange }: ReceivedBodyProps): ReactElement {
  const body = bodyOf(exchange);
  const images = api === 'images' ? imagesOf(body.body) : [];
  return (
    <>
      {images.map((image) => (
        <Media key={image.slice(0, 64)} type="image/*" base64={image} url={null} />
      ))}
      <BodyView
        label={text.response}
        body={body}
        {...(api === 'embeddings' ? { route: api, as: 'conversation', side: 'response' } : {})}
      />
    </>
  );
}
