import type { ReactElement } from 'react';
import { problemFrom } from '../../../api';
import { logDetail } from '../../../messages/en/log-detail';
import { BodyView, ConversationView, readConversation } from '../../../ui/body';
import { Loaded, Part } from '../../../ui/states';
import type { LogDetail } from './record';
import { useBody } from './use-body';

/**
 * Tab with the conversation, read in the dialect of the route; shows the bodies unchanged when
 * there is none.
 */
export function MessagesTab({ log }: { readonly log: LogDetail }): ReactElement {
  const request = useBody(log, 'request');
  const response = useBody(log, 'response');
  return (
    <Loaded query={request} problemOf={problemFrom}>
      {(sent) => (
        <Loaded query={response} problemOf={problemFrom}>
          {(received) => {
            const conversation = readConversation(log.route, sent, received);
            if (conversation === null)
              return (
                <div className="col">
                  <p className="xs muted">{logDetail.messages.none}</p>
                  <BodyView label={logDetail.tabs.request} body={sent} />
                  <BodyView label={logDetail.tabs.response} body={received} />
                </div>
              );
            return (
              <div className="col">
                {(sent.truncated || received.truncated) && <Part>{logDetail.messages.truncated}</Part>}
                <ConversationView conversation={conversation} />
              </div>
            );
          }}
        </Loaded>
      )}
    </Loaded>
  );
}
