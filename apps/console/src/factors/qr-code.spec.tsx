import { screen } from '@testing-library/react';
import { renderUi } from '../ui/spec-support/render-ui';
import { QrCode } from './qr-code';
import { readQrCode } from './spec-support/read-qr-code';

const SECRET = 'S73O7RU3BBGXNV6TG2H2KT7CHPFKPT26';
const uriOf = (name: string): string =>
  `otpauth://totp/Tollgate:${encodeURIComponent(name)}?secret=${SECRET}&issuer=Tollgate`;

describe('QrCode', () => {
  it.each(['a@b.cd', 'ada@example.com', 'Ärger+töne@exämple.com', `${'long-'.repeat(48)}@example.com`])(
    'decodes to the exact address of an authenticator app for %s',
    (name) => {
      renderUi(<QrCode text={uriOf(name)} label="Code" />);
      expect(readQrCode(screen.getByRole('img', { name: 'Code' }))).toBe(uriOf(name));
    },
  );

  it('changes with its text, and renders nothing for a text that is too long', () => {
    const { rerender } = renderUi(<QrCode text={uriOf('a@b.cd')} label="Code" />);
    rerender(<QrCode text={uriOf('e@f.gh')} label="Code" />);
    expect(readQrCode(screen.getByRole('img'))).toBe(uriOf('e@f.gh'));
    rerender(<QrCode text={'x'.repeat(5_000)} label="Code" />);
    expect(screen.queryByRole('img')).toBeNull();
  });
});
