import { messageReader, type LeaseMessage } from './lease-messages.js';

describe('messageReader', () => {
  it('joins messages from any chunks', () => {
    const received: LeaseMessage[] = [];
    const read = messageReader((message) => received.push(message));
    const messages: LeaseMessage[] = [{ state: 'starting' }, { state: 'ready', host: '/run', port: 5432 }];
    for (const character of messages.map((message) => `${JSON.stringify(message)}\n`).join('')) read(character);
    expect(received).toEqual(messages);
    read(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
    expect(received).toEqual([...messages, ...messages]);
  });

  it.each(['nonsense\n', 'null\n', '{"state":"of another version"}\n', '[]\n'])(
    'ignores unknown messages: %j',
    (line) => {
      const received: LeaseMessage[] = [];
      const read = messageReader((message) => received.push(message));
      read(line);
      read('{"state":"starting"}\n');
      expect(received).toEqual([{ state: 'starting' }]);
    },
  );
});
