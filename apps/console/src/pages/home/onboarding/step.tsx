import type { ReactElement, ReactNode } from 'react';
import { home } from '../../../messages';
import { Icon } from '../../../ui/icons/icon';

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly about?: string;
  readonly state: 'done' | 'now' | 'later';
  readonly children?: ReactNode;
}

/** Frame of one step of the onboarding. */
export function Step({ number, title, about, state, children }: StepProps): ReactElement {
  return (
    <li className="home-step" data-state={state} aria-current={state === 'now' ? 'step' : undefined}>
      <span className="home-step-mark">
        {state === 'done' ? <Icon name="check" size={14} label={home.stepDone} /> : number}
      </span>
      <div className="grow col">
        <h2>{title}</h2>
        {about !== undefined && <p className="sub">{about}</p>}
        {children}
      </div>
    </li>
  );
}
