import { screen } from '@testing-library/react';
import { TEXT_MAX, type HttpMessages } from '../../../gateway';
import { renderUi } from '../../../ui/spec-support/render-ui';
import { ReceivedBody } from './received-body';

const httpMessages = (part: Partial<HttpMessages>): HttpMessages => ({
  ...{
    method: 'POST',
    url: 'http://gateway.test/v1/images/generations',
    sentHeaders: new Headers(),
    sent: '',
  },
  receivedHeaders: new Headers({ 'content-type': 'application/json' }),
  ...{ received: '', isText: true, isCut: false, bytes: 1 },
  ...part,
});
const CUT = 'Only the beginning of this body was kept.';

describe('ReceivedBody', () => {
  let errors: jest.SpyInstance;
  beforeEach(() => {
    URL.createObjectURL = jest.fn(() => 'blob:x');
    URL.revokeObjectURL = jest.fn();
    errors = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  });
  afterEach(() => errors.mockRestore());

  it('shows every image, also images that begin alike or are larger than 750 kB', async () => {
    const start = 'A'.repeat(TEXT_MAX);
    const received = JSON.stringify({ data: [{ b64_json: `${start}AAAA` }, { b64_json: `${start}BBBB` }] });
    renderUi(<ReceivedBody api="images" httpMessages={httpMessages({ received })} />);
    expect(await screen.findAllByRole('img')).toHaveLength(2);
    expect(screen.queryByText(CUT)).toBeNull();
    expect(errors).not.toHaveBeenCalled();
  });

  it('shows the beginning of a body that was cut, and says so', () => {
    const received = `{"data":[{"b64_json":"${'A'.repeat(2 * TEXT_MAX)}`;
    renderUi(<ReceivedBody api="images" httpMessages={httpMessages({ received, isCut: true })} />);
    screen.getByText(CUT);
    expect(screen.queryByRole('img')).toBeNull();
    expect(screen.getByRole('region').textContent).toHaveLength(TEXT_MAX + 1);
  });
});
