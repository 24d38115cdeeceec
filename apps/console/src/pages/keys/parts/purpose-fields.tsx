import { Radio, Textarea, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { keys } from '../../../messages';
import { Pane } from '../../../ui/states';
import { textAt, type Fields } from '../../fields/fields';
import { KEY_TYPES, scopeOfKeys, type KeyType } from '../key-types';

interface TypeProps {
  readonly type: KeyType;
  readonly onType: (type: KeyType) => void;
  readonly held: ReadonlySet<string>;
}

/** Radio buttons for the type of the key. */
export function TypeFields({ type, onType, held }: TypeProps): ReactElement {
  return (
    <Pane title={keys.purpose}>
      <Radio.Group aria-label={keys.purpose} value={type} onChange={(value) => onType(value)}>
        <div className="fields-row fields-cards">
          {KEY_TYPES.map((one) => {
            const [label, hint] = keys.purposes[one] ?? [one, ''];
            const needed = scopeOfKeys(one, 'create');
            const isLocked = !held.has(needed);
            return (
              <Radio
                key={one}
                value={one}
                label={label}
                description={isLocked ? keys.purposeLocked(needed) : hint}
                disabled={isLocked}
              />
            );
          })}
        </div>
      </Radio.Group>
    </Pane>
  );
}

/** Name and description of a key. */
export function NameFields({
  fields,
  autoFocus,
}: {
  readonly fields: Fields;
  readonly autoFocus?: boolean;
}): ReactElement {
  return (
    <div className="col fields">
      <TextInput
        label={keys.name}
        description={keys.nameHint}
        required
        maxLength={255}
        autoComplete="off"
        autoFocus={autoFocus}
        value={textAt(fields, 'name')}
        error={fields.errorOf('name')}
        onChange={({ currentTarget }) => fields.setValue('name', currentTarget.value)}
      />
      <Textarea
        label={keys.description}
        autosize
        minRows={1}
        maxRows={4}
        value={textAt(fields, 'description')}
        error={fields.errorOf('description')}
        onChange={({ currentTarget }) => fields.setValue('description', currentTarget.value || null)}
      />
    </div>
  );
}
