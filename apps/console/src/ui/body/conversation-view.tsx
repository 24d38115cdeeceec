import { useState, type ReactElement } from 'react';
import { uiText } from '../../messages/en/ui';
import { count } from '../format';
import { Icon } from '../icons/icon';
import { JsonView } from '../json';
import { Badge } from '../primitives/marks';
import type { Conversation, Message, Part } from './conversation';
import { Markdown } from './markdown';
import { Media } from './media';

export interface ConversationViewProps {
  readonly conversation: Conversation;
}

/**
 * Shows messages by role: text as Markdown, tool calls with their arguments, reasoning collapsed,
 * media decoded.
 */
export function ConversationView({
  conversation: { request, response },
}: ConversationViewProps): ReactElement {
  return (
    <ol className="conversation private" aria-label={uiText.body.conversation}>
      {[...request, ...response].map((message, at) => (
        <MessageItem key={at} message={message} isResponse={at >= request.length} />
      ))}
    </ol>
  );
}

function MessageItem({
  message: { role, parts, finish },
  isResponse,
}: {
  readonly message: Message;
  readonly isResponse: boolean;
}): ReactElement {
  return (
    <li className="message" data-response={isResponse || undefined}>
      <header className="row xs muted">
        <span>{role}</span>
        {finish !== null && <Badge tone="outline">{finish}</Badge>}
      </header>
      {parts.length === 0 ? (
        <p className="muted">{uiText.body.empty}</p>
      ) : (
        parts.map((part, at) => <PartView key={at} part={part} />)
      )}
    </li>
  );
}

function PartView({ part }: { readonly part: Part }): ReactElement {
  switch (part.kind) {
    case 'text':
      return <Markdown text={part.text} />;
    case 'reasoning':
      return (
        <details className="message-reasoning">
          <summary>{uiText.body.reasoning}</summary>
          {part.text === '' ? <p className="muted">{uiText.body.hidden}</p> : <Markdown text={part.text} />}
        </details>
      );
    case 'refusal':
      return (
        <p className="tone-warn">
          <Icon name="ban" size={14} /> {part.text}
        </p>
      );
    case 'tool_call':
      return (
        <Folded title={part.name} mark={uiText.body.toolCall} id={part.id}>
          <ValueView value={part.input} label={part.name} />
        </Folded>
      );
    case 'tool_result':
      return (
        <Folded title={uiText.body.toolResult} mark={null} id={part.id}>
          {part.parts.map((one, at) => (
            <PartView key={at} part={one} />
          ))}
        </Folded>
      );
    case 'media':
      return <Media {...part} />;
    case 'vector':
      return (
        <p className="mono xs">
          [{part.beginning.join(', ')}
          {part.size > part.beginning.length && ', …'}] {uiText.body.numbers(count(part.size))}
        </p>
      );
    case 'other':
      return <ValueView value={part.value} label={uiText.body.other} />;
  }
}

function ValueView({ value, label }: { readonly value: unknown; readonly label: string }): ReactElement {
  if (typeof value === 'string') return <pre className="code-well message-text">{value}</pre>;
  return <JsonView value={value} label={label} maxHeight={320} />;
}

interface FoldedProps {
  readonly title: string;
  readonly mark: string | null;
  readonly id: string | null;
  readonly children: React.ReactNode;
}

function Folded({ title, mark, id, children }: FoldedProps): ReactElement {
  const [isOpen, setOpen] = useState(true);
  return (
    <div className="message-tool">
      <button
        type="button"
        className="plain-button row"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} size={14} />
        <Icon name="tools" size={14} />
        <b>{title}</b>
        {mark !== null && <span className="muted xs">{mark}</span>}
        {id !== null && <code className="muted ell">{id}</code>}
      </button>
      {isOpen && children}
    </div>
  );
}
