import { useMemo, type ReactElement } from 'react';
import { uiText } from '../../messages/en/ui';
import { bytes } from '../format';
import { JsonView, TextLines } from '../json';
import { Part } from '../states/states';
import { Media } from './media';
import { ConversationView } from './conversation-view';
import { readConversation, type LoggedBody } from './read-conversation';

export interface BodyViewProps {
  /** Accessible name, such as `Request` or `Response`. */
  readonly label: string;
  readonly body: LoggedBody;
  /**
   * Route of the log. `as="conversation"` needs it to read the messages; without messages the raw
   * body is shown.
   */
  readonly route?: string;
  readonly as?: 'conversation' | 'raw';
  /** Side of the conversation that the body belongs to. */
  readonly side?: 'request' | 'response';
  readonly maxHeight?: number;
}

/**
 * Shows a logged body: as a conversation, or raw with JSON as a tree, text by lines and media
 * decoded.
 */
export function BodyView(props: BodyViewProps): ReactElement {
  const { label, body, route = '', as = 'raw', side = 'request', maxHeight } = props;
  const conversation = useMemo(() => {
    if (as !== 'conversation') return null;
    return side === 'request' ? readConversation(route, body, null) : readConversation(route, null, body);
  }, [as, side, route, body]);
  return (
    <div className="col body-view">
      <p className="row xs muted">
        <span>{body.content_type ?? uiText.body.noType}</span>
        <span className="num">{bytes(body.bytes)}</span>
        {body.encoding !== null && <span>{body.encoding}</span>}
      </p>
      {body.truncated && <Part>{uiText.body.truncated}</Part>}
      {conversation === null ? (
        <Raw label={label} body={body} maxHeight={maxHeight} />
      ) : (
        <ConversationView conversation={conversation} />
      )}
    </div>
  );
}

function Raw({ label, body, maxHeight }: Pick<BodyViewProps, 'label' | 'body' | 'maxHeight'>): ReactElement {
  const { encoding, body: value, content_type: type } = body;
  const height = maxHeight === undefined ? {} : { maxHeight };
  if (encoding === null) return <p className="muted">{uiText.body.none}</p>;
  if (encoding === 'base64' && typeof value === 'string')
    return <Media type={type ?? '*/*'} base64={value} url={null} />;
  if (encoding === 'utf8' && typeof value === 'string')
    return <TextLines text={value} label={label} {...height} />;
  return <JsonView value={value} label={label} {...height} />;
}
