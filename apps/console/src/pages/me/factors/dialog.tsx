import { Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { call } from '../../../api';
import { AddFactor } from '../../../factors/add-factor';
import type { Factor, Factors, Proof } from '../../../factors/factor-types';
import { RecoveryCodes } from '../../../factors/recovery-codes';
import { SendingContext } from '../../../factors/use-step';
import { factors as text } from '../../../messages';
import { ProofForm } from './proof-form';
import { RenameForm } from './rename-form';

export type Change =
  { readonly kind: 'add' | 'renew' } | { readonly kind: 'rename' | 'remove'; readonly factor: Factor };

interface FactorDialogProps {
  readonly change: Change;
  readonly factors: Factors;
  readonly onClose: () => void;
}

const titleOf = (change: Change, hasCodes: boolean): string => {
  if (hasCodes) return text.codes;
  switch (change.kind) {
    case 'add':
      return text.add;
    case 'renew':
      return text.renew;
    case 'rename':
      return text.renameTitle;
    case 'remove':
      return text.removeTitle(change.factor.name);
  }
};

/**
 * Dialog for one change of the second factors. It shows new recovery codes at the end and drops
 * them when it closes. It cannot be closed while the change is being made, nor before the user
 * confirms the codes.
 */
export function FactorDialog({ change, factors, onClose }: FactorDialogProps): ReactElement {
  const queries = useQueryClient();
  const [codes, setCodes] = useState<readonly string[]>([]);
  const [isSending, setSending] = useState(false);
  const hasCodes = codes.length > 0;
  const done = (made: readonly string[] = []): void => {
    void queries.invalidateQueries({ queryKey: ['mfa_list'] });
    if (made.length === 0) onClose();
    else setCodes(made);
  };
  const close = (): void => {
    if (!hasCodes && !isSending) onClose();
  };
  return (
    <Modal
      opened
      title={titleOf(change, hasCodes)}
      onClose={close}
      withCloseButton={!hasCodes}
      closeOnClickOutside={false}
    >
      <SendingContext value={setSending}>
        {hasCodes ? (
          <RecoveryCodes codes={codes} onDone={onClose} />
        ) : (
          <ChangeForm change={change} factors={factors} onDone={done} />
        )}
      </SendingContext>
    </Modal>
  );
}

interface ChangeFormProps {
  readonly change: Change;
  readonly factors: Factors;
  /** Called after the change. `codes` are new recovery codes, if any. */
  readonly onDone: (codes?: readonly string[]) => void;
}

function ChangeForm({ change, factors, onDone }: ChangeFormProps): ReactElement {
  switch (change.kind) {
    case 'add':
      return <AddFactor hasName factors={factors} onAdded={onDone} />;
    case 'rename':
      return <RenameForm factor={change.factor} onDone={onDone} />;
    case 'renew': {
      const renew = async (proof: Proof): Promise<void> =>
        onDone((await call('mfa_renewCodes', {}, { body: proof })).data.recovery_codes);
      return (
        <ProofForm factors={factors} action={text.renew} onProof={renew}>
          <p className="sub">{text.renewLead}</p>
        </ProofForm>
      );
    }
    case 'remove': {
      const remove = async (proof: Proof): Promise<void> => {
        await call('mfa_remove', { path: { factorId: change.factor.id } }, { body: proof });
        onDone();
      };
      return (
        <ProofForm factors={factors} action={text.removeAction} isDanger onProof={remove}>
          <p className="sub">{factors.factors.length === 1 ? text.removeLast : text.removeLead}</p>
        </ProofForm>
      );
    }
  }
}
