import { Button } from '@mantine/core';
import { useState, type KeyboardEvent, type ReactElement, type SyntheticEvent } from 'react';
import type { Problem } from '../../../api';
import { useWorkspace } from '../../../app';
import { keys } from '../../../messages';
import { Note, TextButton } from '../../../ui/primitives';
import { BudgetAmount, BudgetFields } from '../../fields/budget-fields';
import type { Fields } from '../../fields/fields';
import { RateFields } from '../../fields/rate-fields';
import { useNewFields } from '../../fields/use-new-fields';
import { usePageSearch } from '../../list/use-page-search';
import { KEY_TYPES, scopeOfKeys, type KeyBody, type KeyType } from '../key-types';
import { DefaultFields } from '../parts/default-fields';
import { LifeFields } from '../parts/life-fields';
import { NameFields, TypeFields } from '../parts/purpose-fields';
import { ScopeFields } from '../parts/scope-fields';
import { WIZARD_RULES } from '../rules';
import { scopesOfPreset, useHeldScopes } from '../scopes';
import { STEPS, type Step } from '../steps';
import { LikenessNote } from './likeness-note';
import { bodyOf, type NewKey } from './new-key';
import { StepList } from './step-list';
import { Summary } from './summary';
import './wizard.css';

interface KeyWizardProps {
  /** Error of the last attempt; null for none. */
  readonly problem: Problem | null;
  readonly isSending: boolean;
  /** Resolves to true when the key was created. */
  readonly onCreate: (type: KeyType, body: KeyBody) => Promise<boolean>;
}

/** Wizard for a new key. Every step has defaults, so the user can finish at any of them. */
export function KeyWizard({ problem, isSending, onCreate }: KeyWizardProps): ReactElement {
  const workspace = useWorkspace();
  const held = useHeldScopes();
  const { state, change } = usePageSearch(WIZARD_RULES);
  const step = state.tab as Step;
  const first =
    KEY_TYPES.find((type) => held.has(scopeOfKeys(type, 'create'))) ?? KEY_TYPES[0] ?? 'workspace-service';
  const initial: NewKey = { type: first, scopes: usualScopes(first, held) };
  const form = useNewFields<NewKey>(initial, { draft: `new-key:${workspace.id}`, problem });
  const [missing, setMissing] = useState<string | null>(null);
  const values = form.values as NewKey;
  const go = (next: Step): void => change({ tab: next }, 'push');
  const setType = (type: KeyType): void => {
    form.fields.setValue('type', type);
    form.fields.setValue('scopes', usualScopes(type, held));
  };
  const create = async (): Promise<void> => {
    const body = bodyOf(values, workspace.id);
    const lacking = body.name === '' ? keys.needsName : body.scopes.length === 0 ? keys.needsScopes : null;
    setMissing(lacking);
    if (lacking !== null) return change({ tab: body.name === '' ? 'purpose' : 'scopes' });
    if (await onCreate(values.type, body)) form.clear();
  };
  const at = STEPS.indexOf(step);
  const next = STEPS[at + 1];
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (next === undefined) void create();
    else go(next);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void create();
  };
  return (
    <form className="wizard" aria-label={keys.newTitle} noValidate onSubmit={submit} onKeyDown={onKeyDown}>
      <StepList step={step} values={values} onStep={go} />
      <div className="fields-stack">
        {form.isRestored && (
          <Note
            tone="plain"
            action={
              <TextButton
                onClick={() => {
                  form.clear();
                  form.setValues(initial);
                }}
              >
                {keys.discard}
              </TextButton>
            }
          >
            {keys.restored}
          </Note>
        )}
        <StepBody step={step} fields={form.fields} values={values} held={held} onType={setType} />
        {missing !== null && <Note tone="danger">{missing}</Note>}
        {problem !== null && <Note tone="danger">{problem.message}</Note>}
        <div className="row">
          {at > 0 && <Button onClick={() => go(STEPS[at - 1] ?? 'purpose')}>{keys.back}</Button>}
          {next !== undefined && (
            <Button type="submit" variant="filled">
              {keys.next(keys.steps[next] ?? next)}
            </Button>
          )}
          <span className="right">
            <Button
              type="button"
              variant={next === undefined ? 'filled' : 'default'}
              loading={isSending}
              onClick={() => void create()}
            >
              {keys.finish}
            </Button>
          </span>
        </div>
      </div>
      <Summary values={values} />
    </form>
  );
}

/**
 * Default scopes: a workspace key calls models; an organisation key cannot, so it manages
 * resources.
 */
const usualScopes = (type: KeyType, held: ReadonlySet<string>): readonly string[] =>
  scopesOfPreset(type === 'organisation-service' ? 'manage' : 'call', type, held);

interface StepBodyProps {
  readonly step: Step;
  readonly fields: Fields;
  readonly values: NewKey;
  readonly held: ReadonlySet<string>;
  readonly onType: (type: KeyType) => void;
}

function StepBody({ step, fields, values, held, onType }: StepBodyProps): ReactElement {
  const { type } = values;
  switch (step) {
    case 'purpose':
      return (
        <>
          <NameFields fields={fields} autoFocus />
          <BudgetAmount fields={fields} />
          <TypeFields type={type} onType={onType} held={held} />
        </>
      );
    case 'scopes':
      return <ScopeFields fields={fields} type={type} held={held} />;
    case 'limits':
      return (
        <>
          <BudgetFields fields={fields} />
          <LikenessNote values={values} fields={fields} />
          <RateFields fields={fields} />
        </>
      );
    case 'defaults':
      return <DefaultFields fields={fields} hasConfig={type !== 'organisation-service'} />;
    case 'life':
      return <LifeFields fields={fields} />;
  }
}
