import * as german from '../../texts/de/account.js';
import { de } from '../../texts/de/de.js';
import * as english from '../../texts/en/account.js';
import { en } from '../../texts/en/en.js';
import { showTexts } from '../../texts/texts.js';
import { placeInWords } from './place-in-words.js';

const nowhere = { place: null, same_network: false, current: false };
const at = (city: string | null, country: string | null) => ({ ...nowhere, place: { city, country } });

describe('placeInWords', () => {
  it('calls countries as the language does', () => {
    showTexts({ ...de, ...german });
    expect(placeInWords(at('Mailand', 'IT'))).toBe('Mailand, Italien');
    showTexts({ ...en, ...english });
    expect(placeInWords(at('Milan', 'IT'))).toBe('Milan, Italy');
    expect(placeInWords(at(null, 'IT'))).toBe('Italy');
    expect(placeInWords(at('Milan', null))).toBe('Milan');
    expect(placeInWords(at(null, 'no code'))).toBe('no code');
  });

  it('tells of the network where nothing else is known, and nothing where not even that is', () => {
    showTexts({ ...en, ...english });
    expect(placeInWords(nowhere)).toBeNull();
    expect(placeInWords({ ...nowhere, same_network: true })).toBe('the network that you are using now');
    expect(placeInWords({ ...nowhere, same_network: true, current: true })).toBeNull();
  });
});
