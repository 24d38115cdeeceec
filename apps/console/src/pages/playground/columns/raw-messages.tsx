import type { ReactElement } from 'react';
import { TEXT_MAX, type HttpMessages } from '../../../gateway';
import { playground as text } from '../../../messages';
import { bytes as size } from '../../../ui/format';
import { TextLines } from '../../../ui/json';
import { CopyButton, StatusBadge } from '../../../ui/primitives';

interface RawMessagesProps {
  readonly httpMessages: HttpMessages;
  /** HTTP status; null before the response. */
  readonly status: number | null;
}

const linesOf = (headers: Headers): string =>
  [...headers].map(([name, value]) => `${name}: ${value}`).join('\n');

/** Request and response as sent and received, without the key, which is not recorded. */
export function RawMessages({ httpMessages, status }: RawMessagesProps): ReactElement {
  const { method, url, sentHeaders, sent, receivedHeaders, received, isText, isCut, bytes } = httpMessages;
  return (
    <div className="col playground-raw">
      <section className="col" aria-label={text.sent}>
        <div className="row">
          <b>{text.sent}</b>
          <span className="right">{sent !== '' && <CopyButton text={sent} what={text.sent} />}</span>
        </div>
        <pre
          className="code-well"
          tabIndex={0}
        >{`${method} ${url}\n${text.keyLine}\n${linesOf(sentHeaders)}`}</pre>
        {sent !== '' && <TextLines label={text.sentBody} text={sent} maxHeight={260} />}
      </section>
      {receivedHeaders !== null && (
        <section className="col" aria-label={text.received}>
          <div className="row">
            <b>{text.received}</b>
            {status !== null && <StatusBadge status={status} />}
            <span className="xs muted">{size(bytes)}</span>
            <span className="right">
              {isText && received !== '' && <CopyButton text={received} what={text.received} />}
            </span>
          </div>
          <pre className="code-well" tabIndex={0}>
            {linesOf(receivedHeaders)}
          </pre>
          {isText ? (
            <TextLines label={text.receivedBody} text={received.slice(0, TEXT_MAX)} maxHeight={420} />
          ) : (
            <p className="muted xs">{text.noText}</p>
          )}
          {(isCut || (isText && received.length > TEXT_MAX)) && <p className="muted xs">{text.cutBody}</p>}
        </section>
      )}
    </div>
  );
}
