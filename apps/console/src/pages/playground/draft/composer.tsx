import { Button, Textarea, TextInput } from '@mantine/core';
import { lazy, Suspense, type ReactElement } from 'react';
import { playground as text } from '../../../messages';
import { Icon } from '../../../ui/icons/icon';
import { newMessage, variablesOf, type Draft, type DraftMessage } from './draft';

// Lazy, because only messages that are not text need it.
const JsonView = lazy(async () => ({ default: (await import('../../../ui/json')).JsonView }));

interface ComposerProps {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
}

/** Inputs for system prompt, messages and variables, which all columns share. */
export function Composer({ draft, onChange }: ComposerProps): ReactElement {
  const names = variablesOf(draft);
  const setMessages = (messages: readonly DraftMessage[]): void => onChange({ ...draft, messages });
  return (
    <div className="col playground-composer private">
      <Textarea
        label={text.system}
        autosize
        minRows={2}
        maxRows={8}
        value={draft.system}
        onChange={(event) => onChange({ ...draft, system: event.currentTarget.value })}
      />
      {draft.messages.map((message, index) => (
        <MessageField
          key={message.id}
          message={message}
          onChange={(content) =>
            setMessages(draft.messages.map((one) => (one.id === message.id ? { ...one, content } : one)))
          }
          {...(draft.messages.length > 1
            ? { onRemove: () => setMessages(draft.messages.filter(({ id }) => id !== message.id)) }
            : {})}
          number={index + 1}
        />
      ))}
      <div className="row">
        <Button
          size="xs"
          variant="subtle"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() =>
            setMessages([
              ...draft.messages,
              newMessage(draft.messages.at(-1)?.role === 'user' ? 'assistant' : 'user'),
            ])
          }
        >
          {text.addMessage}
        </Button>
      </div>
      <Variables names={names} draft={draft} onChange={onChange} />
    </div>
  );
}

interface VariablesProps extends ComposerProps {
  readonly names: readonly string[];
}

/** Inputs for the values of the variables in the texts. */
export function Variables({ names, draft, onChange }: VariablesProps): ReactElement {
  return (
    <>
      {names.map((name) => (
        <TextInput
          key={name}
          label={text.variable(name)}
          value={draft.variables[name] ?? ''}
          onChange={(event) =>
            onChange({ ...draft, variables: { ...draft.variables, [name]: event.currentTarget.value } })
          }
        />
      ))}
    </>
  );
}

interface MessageFieldProps {
  readonly message: DraftMessage;
  readonly number: number;
  readonly onChange: (content: string) => void;
  /** Removes the message; absent for the only message. */
  readonly onRemove?: () => void;
}

function MessageField({ message, number, onChange, onRemove }: MessageFieldProps): ReactElement {
  const label = text.message(text.roles[message.role], number);
  const remove = onRemove !== undefined && (
    <Button size="compact-xs" variant="subtle" aria-label={text.removeMessage(number)} onClick={onRemove}>
      <Icon name="close" size={12} />
    </Button>
  );
  if (typeof message.content !== 'string')
    return (
      <div className="playground-message">
        <div className="row xs">
          <b>{label}</b> <span className="right">{remove}</span>
        </div>
        <Suspense>
          <JsonView value={message.content} label={label} maxHeight={160} />
        </Suspense>
      </div>
    );
  return (
    <div className="playground-message">
      <Textarea
        label={label}
        autosize
        minRows={2}
        maxRows={14}
        value={message.content}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      {remove}
    </div>
  );
}
