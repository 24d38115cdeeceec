import { Button } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { FormError, onSubmit } from '../../../app/session/sign-in-parts';
import type { Factors, Proof } from '../../../factors/factor-types';
import { proofIn, ProofInput } from '../../../factors/proof-input';
import { useStep } from '../../../factors/use-step';

interface ProofFormProps {
  readonly factors: Factors;
  readonly action: string;
  readonly isDanger?: boolean;
  /** Makes the change. The form shows the error of a rejection. */
  readonly onProof: (proof: Proof) => Promise<void>;
  /** Explanation of the change. */
  readonly children: ReactNode;
}

/** Form for a change that requires the password or a code again. */
export function ProofForm(props: ProofFormProps): ReactElement {
  const { factors, action, isDanger = false, onProof, children } = props;
  const step = useStep();
  return (
    <form
      className="factor-form"
      aria-label={action}
      onSubmit={onSubmit((form) => step.run(() => onProof(proofIn(form))))}
    >
      {children}
      <ProofInput factors={factors} />
      <FormError error={step.error} />
      <Button
        type="submit"
        variant="filled"
        loading={step.isSending}
        {...(isDanger ? { color: 'danger' } : {})}
      >
        {action}
      </Button>
    </form>
  );
}
