import { accentColors, contrast } from './accent-colors.js';

describe('accentColors', () => {
  it('keeps a readable accent', () => {
    expect(accentColors('#1c5b6a').main).toBe('#1c5b6a');
    expect(accentColors('#7cbac7').bright).toBe('#7cbac7');
  });

  it.each(['#000000', '#ffffff', '#ffd400', '#ff0000', '#00ff00', '#0000ff', '#777777', '#7cbac7', '#10002b'])(
    'makes %s readable on every surface, in both themes',
    (accent) => {
      const { main, strong, bright } = accentColors(accent);
      for (const surface of ['#ffffff', '#f3f4f2']) {
        expect(contrast(main, surface)).toBeGreaterThanOrEqual(4.5);
        expect(contrast(strong, surface)).toBeGreaterThanOrEqual(4.5);
      }
      for (const surface of ['#1d2123', '#262b2d']) expect(contrast(bright, surface)).toBeGreaterThanOrEqual(4.5);
    },
  );

  it('changes no more than necessary', () => {
    const { main } = accentColors('#ffd400');
    expect(contrast(main, '#f3f4f2')).toBeLessThan(4.7);
  });
});

it('measures contrast as WCAG does', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  expect(contrast('#123456', '#123456')).toBe(1);
});
