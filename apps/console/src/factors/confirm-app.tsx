import { Button, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { call } from '../api';
import { FormError, onSubmit, textIn } from '../app/session/sign-in-parts';
import { factors as text } from '../messages';
import { CopyButton } from '../ui/primitives';
import type { AppEnrolment } from './factor-types';
import { QrCode } from './qr-code';
import { useStep } from './use-step';

/** Groups of letters in which a secret is shown, so that it is easier to type. */
const GROUP = /.{1,4}/g;

interface ConfirmAppProps {
  readonly enrolment: AppEnrolment;
  readonly onAdded: (codes: readonly string[]) => void;
  /** Starts again, for example when the enrolment has expired after ten minutes. */
  readonly onBack: () => void;
}

/**
 * Shows the secret of a new authenticator app as a QR code, a link and a text to copy, and confirms
 * it with the first code.
 */
export function ConfirmApp({ enrolment, onAdded, onBack }: ConfirmAppProps): ReactElement {
  const { id, secret, otpauth_uri: uri } = enrolment;
  const step = useStep();
  const confirm = (form: HTMLFormElement): void =>
    step.run(async () => {
      const body = { id, code: textIn(form, 'code').replaceAll(/\s/g, '') };
      onAdded((await call('mfa_confirm', {}, { body })).data.recovery_codes);
    });
  return (
    <form className="factor-form" onSubmit={onSubmit(confirm)} aria-label={text.addApp}>
      <p className="sub">{text.appLead}</p>
      <QrCode text={uri} label={text.qrCode} />
      <p className="sub">{text.appSecret}</p>
      <div className="reveal-secret">
        <code className="grow private">{secret.match(GROUP)?.join(' ')}</code>
        <CopyButton text={secret} what={text.secret} />
      </div>
      <p>
        <a href={uri}>{text.openApp}</a>
      </p>
      <TextInput
        label={text.first}
        description={text.firstHint}
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        autoFocus
      />
      <FormError error={step.error} />
      <Button type="submit" variant="filled" loading={step.isSending}>
        {text.confirm}
      </Button>
      <Button variant="subtle" onClick={onBack}>
        {text.again}
      </Button>
    </form>
  );
}
