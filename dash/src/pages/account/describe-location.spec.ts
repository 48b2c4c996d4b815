import * as german from '../../texts/de/account.js';
import { de } from '../../texts/de/de.js';
import * as english from '../../texts/en/account.js';
import { en } from '../../texts/en/en.js';
import { showTexts } from '../../texts/texts.js';
import { describeLocation } from './describe-location.js';

const unknownLocation = { place: null, same_network: false, current: false };
const at = (city: string | null, country: string | null) => ({ ...unknownLocation, place: { city, country } });

describe('describeLocation', () => {
  it('translates country names', () => {
    showTexts({ ...de, ...german });
    expect(describeLocation(at('Mailand', 'IT'))).toBe('Mailand, Italien');
    showTexts({ ...en, ...english });
    expect(describeLocation(at('Milan', 'IT'))).toBe('Milan, Italy');
    expect(describeLocation(at(null, 'IT'))).toBe('Italy');
    expect(describeLocation(at('Milan', null))).toBe('Milan');
    expect(describeLocation(at(null, 'no code'))).toBe('no code');
  });

  it('falls back to the network, or to nothing', () => {
    showTexts({ ...en, ...english });
    expect(describeLocation(unknownLocation)).toBeNull();
    expect(describeLocation({ ...unknownLocation, same_network: true })).toBe('your current network');
    expect(describeLocation({ ...unknownLocation, same_network: true, current: true })).toBeNull();
  });
});
