import type { ReactElement } from 'react';
import { keys } from '../../../messages';
import { Icon } from '../../../ui/icons/icon';
import { STEPS, type Step } from '../steps';
import type { NewKey } from './new-key';

interface StepListProps {
  readonly step: Step;
  readonly values: NewKey;
  readonly onStep: (step: Step) => void;
}

function hintOf(step: Step, { name, type, scopes }: NewKey): string {
  if (step === 'purpose')
    return name === undefined || name === '' ? keys.unnamed : `${name} · ${keys.types[type] ?? type}`;
  return step === 'scopes' ? keys.scopeCount(scopes.length) : (keys.stepHints[step] ?? '');
}

/** List of the steps with their values; a click opens a step. */
export function StepList({ step, values, onStep }: StepListProps): ReactElement {
  const at = STEPS.indexOf(step);
  return (
    <nav aria-label={keys.steps['label']}>
      <ol className="wizard-steps">
        {STEPS.map((one, index) => (
          <li key={one}>
            <button
              type="button"
              className="plain-button wizard-step"
              aria-current={one === step ? 'step' : undefined}
              data-done={index < at || undefined}
              onClick={() => onStep(one)}
            >
              <span className="wizard-number" aria-hidden="true">
                {index < at ? <Icon name="check" size={14} /> : index + 1}
              </span>
              <span className="wizard-words">
                <span>{keys.steps[one]}</span>
                <span className="xs muted ell">{hintOf(one, values)}</span>
              </span>
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}
