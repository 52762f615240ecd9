//! Visits every DIE and every attribute of a file's .debug_info, units in parallel, strings left as offsets: the least
//! that any reader built on gimli has to do. Prints what it counted.

use gimli::{EndianSlice, LittleEndian, Reader};
use object::{Object, ObjectSection};
use rayon::prelude::*;
use std::borrow::Cow;

fn main() {
    let path = std::env::args().nth(1).expect("usage: walk FILE");
    let file = std::fs::File::open(&path).expect("open");
    let map = unsafe { memmap2::Mmap::map(&file) }.expect("map");
    let object = object::File::parse(&*map).expect("ELF");
    let load = |id: gimli::SectionId| -> Result<Cow<[u8]>, gimli::Error> {
        Ok(object
            .section_by_name(id.name())
            .and_then(|section| section.uncompressed_data().ok())
            .unwrap_or(Cow::Borrowed(&[])))
    };
    let sections = gimli::DwarfSections::load(load).expect("sections");
    let dwarf = sections.borrow(|data| EndianSlice::new(data, LittleEndian));
    let mut headers = Vec::new();
    let mut units = dwarf.units();
    while let Some(header) = units.next().expect("unit header") {
        headers.push(header);
    }
    let (dies, attributes) = headers
        .par_iter()
        .with_max_len(1)
        .map(|header| walk(&dwarf, *header).expect("unit"))
        .reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    println!("{} units, {dies} DIEs, {attributes} attributes", headers.len());
}

fn walk<R: Reader>(dwarf: &gimli::Dwarf<R>, header: gimli::UnitHeader<R>) -> Result<(u64, u64), gimli::Error> {
    let abbreviations = dwarf.abbreviations(&header)?;
    let mut entries = header.entries_raw(&abbreviations, None)?;
    let (mut dies, mut attributes) = (0, 0);
    while !entries.is_empty() {
        if let Some(abbreviation) = entries.read_abbreviation()? {
            dies += 1;
            for specification in abbreviation.attributes() {
                std::hint::black_box(entries.read_attribute(*specification)?);
                attributes += 1;
            }
        }
    }
    Ok((dies, attributes))
}
