import { PasswordInput, TextInput } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { textIn } from '../app/session/sign-in-parts';
import { factors as text } from '../messages';
import { TextButton } from '../ui/primitives';
import type { Factors, Proof } from './factor-types';
import './factors.css';

/** Reads the proof from a form with a `ProofInput`. */
export function proofIn(form: HTMLFormElement): Proof {
  const code = textIn(form, 'code');
  return code === '' ? { password: textIn(form, 'password') } : { code };
}

/**
 * Input for the password or for a code of an existing factor. A session that was opened without a
 * factor needs the code.
 */
export function ProofInput({ factors }: { readonly factors: Factors }): ReactElement {
  const takesCode = factors.recovery_codes_left > 0 || factors.factors.some(({ type }) => type === 'totp');
  const takesPassword = factors.factors.length === 0 || factors.session_factor !== null;
  const [isCode, setCode] = useState(!takesPassword);
  return (
    <>
      {isCode ? (
        <TextInput
          key="code"
          label={text.code}
          description={text.codeHint}
          name="code"
          autoComplete="one-time-code"
          required
          data-autofocus
          autoFocus
        />
      ) : (
        <PasswordInput
          key="password"
          label={text.password}
          description={text.passwordHint}
          name="password"
          autoComplete="current-password"
          required
          data-autofocus
          autoFocus
        />
      )}
      {takesCode && takesPassword && (
        <span>
          <TextButton onClick={() => setCode(!isCode)}>{isCode ? text.byPassword : text.byCode}</TextButton>
        </span>
      )}
    </>
  );
}
