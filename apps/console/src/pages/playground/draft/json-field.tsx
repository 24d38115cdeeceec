import { Textarea } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { playground as text } from '../../../messages';
import { isJson, type Json } from '../../../ui/body/conversation';

interface JsonFieldProps {
  readonly label: string;
  readonly description: string;
  readonly value: Json;
  readonly onChange: (value: Json) => void;
}

const textOf = (value: Json): string =>
  Object.keys(value).length === 0 ? '' : JSON.stringify(value, null, 2);

function parsed(source: string): Json | null {
  if (source.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(source);
    return isJson(value) ? value : null;
  } catch {
    return null;
  }
}

/** Input for a JSON object. While the text is invalid, the value does not change. */
export function JsonField({ label, description, value, onChange }: JsonFieldProps): ReactElement {
  const [source, setSource] = useState(() => textOf(value));
  const [known, setKnown] = useState(value);
  if (known !== value) {
    setKnown(value);
    setSource(textOf(value));
  }
  return (
    <Textarea
      label={label}
      description={description}
      autosize
      minRows={3}
      maxRows={16}
      spellCheck={false}
      className="playground-json"
      value={source}
      error={parsed(source) === null ? text.jsonBroken : undefined}
      onChange={({ currentTarget }) => {
        setSource(currentTarget.value);
        const next = parsed(currentTarget.value);
        if (next === null) return;
        setKnown(next);
        onChange(next);
      }}
    />
  );
}
