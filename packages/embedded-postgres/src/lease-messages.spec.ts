import { messageReader, type LeaseMessage } from './lease-messages.js';

describe('messageReader', () => {
  it('puts messages together from whatever pieces arrive', () => {
    const heard: LeaseMessage[] = [];
    const read = messageReader((message) => heard.push(message));
    const messages: LeaseMessage[] = [{ state: 'starting' }, { state: 'ready', host: '/run', port: 5432 }];
    for (const character of messages.map((message) => `${JSON.stringify(message)}\n`).join('')) read(character);
    expect(heard).toEqual(messages);
    read(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
    expect(heard).toEqual([...messages, ...messages]);
  });

  it.each(['nonsense\n', 'null\n', '{"state":"of another version"}\n', '[]\n'])(
    'passes over what it does not know: %j',
    (line) => {
      const heard: LeaseMessage[] = [];
      const read = messageReader((message) => heard.push(message));
      read(line);
      read('{"state":"starting"}\n');
      expect(heard).toEqual([{ state: 'starting' }]);
    },
  );
});
