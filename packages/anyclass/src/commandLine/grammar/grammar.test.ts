import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDevices, parseNumbers, parseWords } from './lists.js';
import { overText, parseOver } from './over.js';
import { parseSettings } from './settings.js';
import { drawnShareField, shareField } from './shares.js';
import { parseSearch } from './spaces.js';
import { parseData, parseLosses, parseNetworks } from './variants.js';

describe('settings', () => {
  test('are JSON if they parse as such, and otherwise text; the last assignment to a field counts', () => {
    expect(
      parseSettings(['loss.lambda=0.2', 'device=cpu', 'data.dataset=coco-41=x', 'loss.lambda=0.3']),
    ).toEqual({ device: 'cpu', 'data.dataset': 'coco-41=x', 'loss.lambda': 0.3 });
    expect(() => parseSettings(['epochs'])).toThrow("set: expected field=value, not 'epochs'");
  });

  test('can have any JSON value without __proto__', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        fc.pre(!text.includes('__proto__'));
        expect(parseSettings([`a.b=${text}`])).toEqual({ 'a.b': JSON.parse(text) });
      }),
    );
  });
});

describe('variants', () => {
  test('are names with settings after @, which are fields of their part or of the configuration', () => {
    expect(parseLosses('bce, any-bce@lambda=0.2@epochs=3@optimizer.rate=0.1')).toEqual([
      { name: 'bce' },
      { name: 'any-bce', set: { 'loss.lambda': 0.2, epochs: 3, 'optimizer.rate': 0.1 } },
    ]);
  });

  test('may set lists, whose commas do not separate variants', () => {
    expect(parseNetworks('tresnet-m@schedule.milestones=[5,7],vit-b-16')).toEqual([
      { name: 'tresnet-m', set: { 'schedule.milestones': [5, 7] } },
      { name: 'vit-b-16' },
    ]);
  });

  test('may set nested fields of their part', () => {
    expect(parseData('digits@digits.seed=1@loss.lambda=0.2').set).toEqual({
      'data.digits.seed': 1,
      'loss.lambda': 0.2,
    });
  });

  test('of data keep the commas, stars and @ of paths', () => {
    expect(parseData('a@b/*.csv,a@b/2.csv@keep=["x","y"]')).toEqual({
      name: 'a@b/*.csv,a@b/2.csv',
      set: { 'data.keep': ['x', 'y'] },
    });
    expect(parseData('@keep=["coco-41"]')).toEqual({ set: { 'data.keep': ['coco-41'] } });
    expect(() => parseData('')).toThrow("datasets: '' does not name data");
  });

  test.each([
    ['any-bce@lambda', "expected field=value after @, such as lambda=0.2, not 'lambda'"],
    ['', "'' does not name a loss"],
    ['@lambda=1', "'@lambda=1' does not name a loss"],
    ['anybce', "losses: no such loss 'anybce'; did you mean 'any-bce'?"],
  ])('%j is refused', (text, message) => {
    expect(() => parseLosses(text)).toThrow(message);
  });
});

describe('lists', () => {
  test('are separated by commas, with or without spaces', () => {
    expect(parseNumbers('3, 1,2', 'seeds')).toEqual([3, 1, 2]);
    expect(parseWords('tresnet-l, vit-b-16', 'networks')).toEqual(['tresnet-l', 'vit-b-16']);
    expect(parseDevices('cuda:0, cpu')).toEqual(['cuda:0', 'cpu']);
  });

  test('with an entry that is none are refused', () => {
    for (const text of ['1,,2', 'x', '']) expect(() => parseNumbers(text, 'seeds')).toThrow('seeds: ');
    expect(() => parseWords('a,,b', 'networks')).toThrow('networks: ');
    expect(() => parseDevices('gpu')).toThrow("devices: 'gpu' is neither cpu nor cuda:N");
  });
});

test('a sweep names a field of the loss without its prefix, and can be written as text', () => {
  const swept = { field: 'loss.lambda', values: [0, 0.02] };
  expect(parseOver('lambda=0,0.02')).toEqual(swept);
  expect(overText(swept)).toBe('lambda=0,0.02');
  expect(parseOver('optimizer.rate=0.1')).toEqual({ field: 'optimizer.rate', values: [0.1] });
  expect(() => parseOver('lambda')).toThrow('over: expected field=value,value,…');
  expect(() => parseOver('lambda=1,x')).toThrow("over: 'x' is not a number");
});

test('a search space has bounds or choices; a field alone keeps its default space', () => {
  expect(parseSearch(['batchSize=choice(64,auto,null)', 'loss.lambda'])).toEqual({
    batchSize: { kind: 'choice', values: [64, 'auto', null] },
    'loss.lambda': 'default',
  });
});

describe('shares', () => {
  test.each([
    ['1%', 0.01],
    ['1.1%', 0.011],
    ['0.5 %', 0.005],
    ['0.05', 0.05],
    ['0', 0],
    ['99%', 0.99],
  ])('%j is %d', (text, share) => {
    expect(shareField().parse(text)).toBeCloseTo(share, 12);
  });

  test.each([
    ['5', "'5' could mean 5% or a share of 5; write 5% or 0.05"],
    ['1', 'write 1% or 0.01 for one percent'],
    ['100%', 'expected a share such as 0.01 or 1%'],
    ['-1%', 'expected a share'],
    ['some', "got 'some'"],
  ])('%j is refused', (text, message) => {
    expect(shareField().safeParse(text).error?.issues[0]?.message).toContain(message);
  });

  test.each([
    ['50%', 0.5],
    ['0.02', 0.02],
    ['100%', 1],
  ])('of what is drawn, %j is %d', (text, share) => {
    expect(drawnShareField().parse(text)).toBe(share);
  });

  test.each([
    ['1', "'1' could mean 1% or all; write 1% or 100%"],
    ['50', "'50' could mean 50% or a share of 50; write 50% or 0.5"],
    ['0', "expected a share above 0 such as 0.01 or 1%; got '0'"],
    ['0%', 'expected a share above 0'],
    ['101%', 'expected a share above 0'],
    ['some', "got 'some'"],
  ])('of what is drawn, %j is refused', (text, message) => {
    expect(drawnShareField().safeParse(text).error?.issues[0]?.message).toContain(message);
  });
});
