import { Select, Textarea, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import type { GatewayApi } from '../../../gateway';
import { playground as text } from '../../../messages';
import { isRawPath, newMessage, type Draft, type RawCall } from './draft';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

interface InputProps {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
}

/** Input for the single text of an API without a conversation. */
export function SingleInput({
  api,
  draft,
  onChange,
}: InputProps & { readonly api: GatewayApi }): ReactElement {
  const [first = newMessage()] = draft.messages;
  return (
    <Textarea
      label={text.inputs[api] ?? text.input}
      className="private"
      autosize
      minRows={4}
      maxRows={18}
      value={typeof first.content === 'string' ? first.content : ''}
      onChange={({ currentTarget: { value } }) =>
        onChange({ ...draft, messages: [{ ...first, role: 'user', content: value }] })
      }
    />
  );
}

/** Inputs for method, path and body of a raw call. */
export function RawInput({ draft, onChange }: InputProps): ReactElement {
  const { raw } = draft;
  const change = (part: Partial<RawCall>): void => onChange({ ...draft, raw: { ...raw, ...part } });
  return (
    <div className="col private">
      <div className="playground-raw-line">
        <Select
          label={text.method}
          allowDeselect={false}
          value={raw.method}
          data={METHODS}
          onChange={(method) => change({ method: method ?? 'POST' })}
        />
        <TextInput
          label={text.path}
          description={text.pathHint}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          spellCheck={false}
          value={raw.path}
          error={isRawPath(raw.path) ? undefined : text.pathBroken}
          onChange={({ currentTarget: { value } }) => change({ path: value })}
        />
      </div>
      {raw.method !== 'GET' && (
        <Textarea
          label={text.body}
          description={text.bodyHint}
          autosize
          minRows={6}
          maxRows={24}
          spellCheck={false}
          className="playground-json"
          value={raw.body}
          onChange={({ currentTarget: { value } }) => change({ body: value })}
        />
      )}
    </div>
  );
}
