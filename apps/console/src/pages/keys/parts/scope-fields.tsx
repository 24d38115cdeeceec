import { Checkbox, Radio } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { keys } from '../../../messages';
import { Badge } from '../../../ui/primitives';
import { Pane } from '../../../ui/states';
import type { Fields } from '../../fields/fields';
import type { KeyType } from '../key-types';
import { lockOf, presetOf, PRESETS, RESOURCES, scopesOfPreset, type Preset } from '../scopes';

interface ScopeFieldsProps {
  readonly fields: Fields;
  readonly type: KeyType;
  readonly held: ReadonlySet<string>;
}

/**
 * Fields for the scopes of a key: presets, then scopes by resource. A locked scope shows why it is
 * locked.
 */
export function ScopeFields({ fields, type, held }: ScopeFieldsProps): ReactElement {
  const chosen = (fields.valueOf('scopes') ?? []) as readonly string[];
  const set = (scopes: readonly string[]): void => fields.setValue('scopes', scopes);
  const toggle = (scope: string): void =>
    set(chosen.includes(scope) ? chosen.filter((one) => one !== scope) : [...chosen, scope]);
  const [isOpen, setOpen] = useState(false);
  const preset = presetOf(chosen, type, held);
  return (
    <Pane
      title={keys.presets}
      actions={
        <span className="num">{`${preset === null ? `${keys.own}, ` : ''}${keys.scopeCount(chosen.length)}`}</span>
      }
    >
      <div className="col fields">
        <Radio.Group
          aria-label={keys.presets}
          value={preset ?? ''}
          error={fields.errorOf('scopes')}
          onChange={(value) => set(scopesOfPreset(value as Preset, type, held))}
        >
          <div className="fields-row fields-cards">
            {PRESETS.map((one) => {
              const [label, hint] = keys.presetNames[one] ?? [one, ''];
              const isEmpty = scopesOfPreset(one, type, held).length === 0;
              return (
                <Radio
                  key={one}
                  value={one}
                  label={label}
                  description={isEmpty ? keys.presetEmpty : hint}
                  disabled={isEmpty}
                />
              );
            })}
          </div>
        </Radio.Group>
        <details
          className="key-scopes"
          open={isOpen}
          onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
        >
          <summary>{keys.allScopes}</summary>
          {isOpen && <Scopes chosen={chosen} type={type} held={held} onToggle={toggle} />}
        </details>
      </div>
    </Pane>
  );
}

interface ScopesProps extends Pick<ScopeFieldsProps, 'type' | 'held'> {
  readonly chosen: readonly string[];
  readonly onToggle: (scope: string) => void;
}

/** Checkboxes of all scopes, rendered only when opened because they are many. */
function Scopes({ chosen, type, held, onToggle }: ScopesProps): ReactElement {
  return (
    <>
      {RESOURCES.map(([resource, scopes]) => (
        <fieldset key={resource} className="key-scopes-resource">
          <legend>{keys.resource(resource)}</legend>
          {scopes.map((scope) => {
            const lock = lockOf(scope, type, held);
            return (
              <span key={scope} className="row">
                <Checkbox
                  label={<code>{scope}</code>}
                  checked={chosen.includes(scope)}
                  // Every editor may remove a scope that the key has.
                  disabled={lock !== null && !chosen.includes(scope)}
                  onChange={() => onToggle(scope)}
                />
                {lock === null ? null : <Badge icon="lock">{keys.locks[lock]}</Badge>}
              </span>
            );
          })}
        </fieldset>
      ))}
    </>
  );
}
