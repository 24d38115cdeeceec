/**
 * Taken from the list of 20,000 common passwords by Royce Williams that Django ships (BSD-3-Clause,
 * copyright Django Software Foundation and individual contributors): passwords of at least 12
 * characters, and the words that make up shorter ones.
 */
const LONG = `
q1w2e3r4t5y6 1qaz2wsx3edc sojdlg123aljg pe#5gz29ptzmse 111222tianya 1q2w3e4r5t6y startfinding
qwerty123456 123qweasdzxc polniypizdec0211 123456qwerty n8zgt5p0shw= megaparol12345
123456654321 telechargement 123456123456 yfdbufnjh10305070 qazwsxedcrfv g13916055158
1q2w3e4r5t6y7u8i9o0p 123456789123 qwertyqwerty polniypizdec110211 112233445566 motherfucker
justinbieber 123456789987654321 qweasdzxc123 "zxcvbnm,./" 123456789123456789 maprchem56458
5532361cnjqrf qwertyuiop[] qazwsxedc123 password1234 international temppassword 1q2w3e4r5t6y7u
professional polniypizdec1102 0r968ji9ufj6 jundian2011xr qwertyuiop123 qwerasdfzxcv
leavemealone finalfantasy 123456789abc administrator 123qwe123qwe zxcasdqwe123 demon1q2w3e4r
jamesbond007 asdfghjkl123 demon1q2w3e4r5t projectsadminx ichliebedich playstation3
123456789qwe sonyericsson 1qazxsw23edc john!20130605at1753 linkedin2011 1q2w3e4r5t6y7u8i
ihatethisgame s8ylpe9jdpvym mega_pizdetz666 123123123123 123321123321 111111111111
qwegta13091990 123456789asd doomsayer.2.7mords.v seniseviyorum 010203040506 onedirection
transformers 1q2w3e4r5t6y7u8i9o doomsayer.2.7mords.vv supernatural gfhjkmgfhjkm sonnenschein
password12345 peanutbutter 12345678900987654321 1qaz2wsx3edc4rfv qwertyuiop12 needforspeed
1234567890-= migrationschool 1234567891011 lovelovelove liverpool123 xtseo2011tdx playstation2
gettherefast ??????@mail.ru internazionale 123456789123456 102030405060 combat123654
abc123456789 ingodwetrust 12345678901234567890 qwertyasdfgh christopher1 sdf7asdf6asdg8df
ghhh47hj7649 1234567890qwertyuiop zmx870919123 asdfghjkl:&#39: inactive1996aug lydcc20091314
jesuslovesme avrillavigne ilovemyfamily counterstrike 159753159753 stratocaster qwertyytrewq
dfg5fhg5vgfh1 1234567891234567 123admin321a 123456789qwerty googletester hawkesbury93
qazwsxedcrfvtgb q1w2e3r4t5y6u7i8o9p0 imyaimyaimya qazxswedcvfr "1,00001e+14" yemi19900911
password123456 123456789qaz jkiuztdftl57 xantria10315 starwarsfan10 hannahmontana
familiyafamiliya vitor1268123 m01759766727 123456789101112 weronika1992 1234567890123
12345678987654321 neworleans12345 cookiemonster qwerty123456789 natiichen999 000000000000
ghbdtnrfrltkf 520love101182 111111111111111 kartoffelpuffer lightpower12345 stefangreil1983
total12scherz edwardcullen qwe123qwe123 cosmopolitan somanypickles27 michaeljackson
zaq1xsw2cde3 minecraft123 leliane50934 moderncombat marek14michal przyjaciolki laurel12creek
residentevil yandi20080527 ezekiel11991 123456789000 arabella24630 heterosexual
manchesterunited sebastian106 knackwurst8853 1234567890987654321 fallen_angel
`;

const WORDS = `
qwerty password iloveyou qwertyuiop monkey dragon homelesspa zxcvbnm tinkle gwerty fuckyou
asdfghjkl qazwsx princess computer ashley michael football sunshine aaaaaa daniel asdfgh love
shadow superman jessica baseball killer master asdf samsung charlie azerty soccer jordan
linkedin thomas status michelle liverpool nicole asdasd qwert lovely andrew gfhjkm joshua
anthony justin zxcvbn hello jennifer naruto tigger hunter welcome babygirl pokemon robert
parola secret loveme purple mother apple qazwsxedc matthew buster andrea hannah basketball
freedom iloveu chelsea george friends william samantha amanda golfer summer chocolate flower
maggie letmein pakistan batman butterfly marina forever qweqwe mustang internet alexander
london harley pepper family whatever joseph loveyou jasmine orange cookie junior qweasdzxc
martin user google ginger patrick arsenal abcdef mylove starwars taylor brandon angel diamond
snoopy vqsablpzla myspace asshole qweasd matrix mickey jonathan school melissa eminem lovers
cheese richard yellow nikita oliver bailey cjmasterinf christian sophie mercedes victoria
peanut tudelft benjamin diosesfiel abcdefg sandra elizabeth prince banana angels angela samuel
qqqqqq qwertyu barcelona hockey monster ghbdtn nathan chicken carlos antonio gabriel silver
bubbles slipknot jackson morgan austin rainbow fuckoff madison natasha vanessa metallica
adidas america xxxxxx jesus spiderman alexis lauren null ferrari steven tinkerbell qwaszx
nirvana bandit nicholas danielle asdfasdf scooter destiny juventus rachel qazxsw monica stella
zzzzzz qwertyui yamaha victor ronaldo smokey cocacola money booboo heather success november
jasper poop edward tennis valentina friend sweety exigent nothing chester casper hellokitty
hahaha startfinding david alexandra canada olivia december sabrina mynoob dennis dakota
patricia playboy barbie johnny music loulou nicolas pretty charles phoenix thunder rebecca
beautiful spider carolina vincent jeremy yankees dallas sebastian cameron midnight guitar
caroline elephant scorpion dolphin tweety fucker lalala louise fuckme sexy lovelove veronica
sparky adrian newyork september scooby heaven tigers jessie crystal chris gemini peaches
merlin spongebob stephanie shannon james sakura apples precious lakers sergey poohbear
manchester jackie cristina daniela pussy muffin alex cooper cherry flowers diablo beauty
mexico emmanuel winston maverick genius toyota fuck tiffany charlotte creative winner onelove
badboy softball hotmail brittany murphy sayang compaq pass manuel kristina scorpio garfield
hottie aaaaa carmen qazqaz stalker doudou lastfm brandy steelers claudia rabbit isabella
august october badoo boomer dexter samson aaaa kimberly angelo popcorn ranger cowboys happy
passion shorty christ snickers albert soleil blessed krishna alyssa barney andrey icecream
bitch karina california melanie bismillah eagles iloveme leonardo coffee windows police
christine dancer woaini miguel cowboy swordfish winter maxwell denise fernando horses hardcore
kitten sydney francis cassie pumpkin twilight marlboro rangers martina florida fylhtq natalie
barbara pookie hiphop rockstar stupid fishing vfhbyf greenday maria baby trinity fatima
angelina bonnie lucky fluffy courtney turtle father darkness kissme alejandro corvette
marseille roberto player friendster lollipop biteme jackass lolita simone brooklyn alicia
honey motorola simple slayer portugal shelby chicago snowball justinbieb awesome vfrcbv
natalia golden people sweetie raiders boston sharon tucker logitech teresa wilson test mnbvcxz
kevin bonjour mike pamela remember catherine redsox kenneth klaster ssssss ihateyou isabelle
cricket bulldog lizottes marcus sarah marley willow fender yfnfif aaaaaaaa connor single magic
blessing camille indian never nastya superstar goodluck asdfghjk hammer stephen chance marine
marvin changeme santiago strawberry bigdaddy hotdog mmmmmm arthur iceman tintin johnson
svetlana cookies orlando parker teacher miller freddy porsche bullshit christopher loverboy
fyfcnfcbz azertyuiop angelica travis spencer sunday please gateway williams monika ladybug
gracie asdfg nissan asdfjkl tiger sunflower qwer sweetpea jason ryan sasuke raymond zachary
undertaker evildick tamara lollol paradise sweetheart bianca poopoo shopping winnie sophia
kawasaki inuyasha doctor john fktrcfylh andrei sierra julian bigboy pantera nascar lorenzo
genesis babyboy vladimir christina linkinpark cool facebook nelson abcd dolphins scarface
frankie january maryjane montana sweet giovanni ricardo australia jerome jeffrey realmadrid
xavier asdfghj asdasdasd vampire brenda westside minnie falcon green rosebud laura francesco
nigger zoosk claire sergio sairam savannah timothy disney abigail jaguar sterling italia
warcraft blue mariana isabel zaqwsx maksim blabla brooke patches mahalkita musica rental
valentin butter alberto teddybear cjkysirj walter black lover alessandro bestfriend dominic
michele champion helpme kitty nintendo volleyball qwerasdf cancer marie jasmin france justine
hawaii buddy maximus chouchou passwort united francesca manutd victory darling student rafael
animal regina abcdefgh spirit carter jamaica mariposa gabriela dreams cheyenne calvin super
panther sniper england willie eduardo copper happiness veronika penguin valeria napoli brianna
blahblah georgia millie diesel engineer skater camaro hallo bigdog virginia ybccfy mohamed
estrella gloria simpsons donald anderson newlife suzuki leslie oksana princesa skyline audrey
bradley warrior godisgood kisses tristan potter adriana giuseppe wwwwww trouble cupcake
liberty aleksandr smile maddie pimpin celtic online miranda hesoyam wizard pierre debbie
legolas speedy allison kingkong vkontakte sexsex ruslan knight domino taurus bobby rascal
silvia monday monique adgjmptw mercury tyler florence margarita children skittles polina
justice star booger nokia cristian dreamer serenity hollywood mamapapa anna siemens esther
qawsed gregory avatar zzzzzzzz sister panasonic element business colorado minecraft camila
microsoft amoremio ronald harrypotter natali gangster asasas sammy jupiter stanley madonna
rocket serega apollo serena valerie kelsey pebbles catdog asdzxc system donkey danger chichi
christmas dbrnjhbz titanic thebest packers vegeta hitman drowssap molly kathleen hamster
ireland india lasvegas blondie javier sports smiley babydoll gangsta poiuytrewq sultan nfnmzyf
kirill qwqwqw coucou marshall terminator rammstein basket truelove security jayjay elena
skippy madrid ronnie rocky peter jetaime legend katrina shithead harvey scotland tanner
pauline violet fantasy motdepasse bella stefan alexandre poiuyt celine friday gandalf aaaaaaa
pikachu robbie dddddd qwertz philips manman francisco chocolat bambam smiles viktor casanova
spanky aurora gordon unicorn carpediem mitchell franklin stonecold jack daisy loser alejandra
chivas froggy christophe rhbcnbyf jenny jesuschrist douglas russia handsome muhammad
aaaaaaaaaa santos phantom lorena tatiana margaret baxter anastasia viking kelly platinum
maurice piglet eclipse elijah fatboy pppppp idontknow linked tomtom passport andres access
garcia katherine admin charmed wolverine sexyboy britney mahalko mozart jamesbond loving
cutiepie power grace wisdom valentine church michel nicola cambiami abcde corazon hercules
kingdom anhyeuem candy tinker beatrice everton fashion theman emily gibson lolipop goldfish
mama saibaba toshiba maradona lawrence kitkat network trevor amsterdam diamonds beatles
maganda norman joanna marcel cthutq damian enigma yoyoyo bulldogs anton felipe dragonball
mario shalom kkkkkk promise einstein digital jayden marion sasha reggie jimmy brother matteo
melody english karate omsairam germany brian harrison elaine bubble simona polska buttercup
julien gunner benfica johncena billy nathalie danny infinity wordpass hjvfirf saturn runescape
argentina stargate penelope helena spartak pandora hahahaha scoobydoo redskins baller captain
forest pogiako manager sweets colombia amelia spring general therock milano arnold swimming
eugene little dinosaur nonmember lacrosse zidane travel moomoo ciaociao ilovegod myname
thuglife trfnthbyf wesley grandma dianne dragons nadine chopper chacha zxczxc duncan subaru
penis bbbbbb pickle iverson kittycat bullet russell telechargement pink cleopatra testing
tequiero flatron oscar alaska charly kristen walker ilovejesus mememe nigga boobies cynthia
sammie perfect godzilla mylife hummer pascal justme butthead dustin bamboo katerina brutus
katie ganesh roland yahoo pippo cecilia martinez daddy fabian pineapple panthers peterpan
birthday alfred startrek hacker federico bernard houston mybaby holiday fondoom fktrctq
napoleon mountain honda ciccio berlin qazxswedc steve friendship pitbull golfcourse babygurl
alabama mohammed college lindsay linkin michigan wildcats scotty gggggg galina martha hassan
mariah bitches yourmom marco catalina solomon philip goober caramel change looking vfvjxrf
bubba amber peewee spitfire something tommy caitlin pickles howard sandy bluebird myself
sexygirl megan vampires pussycat chanel trixie matt jjjjjj andreas autumn popeye strength
moonlight bananas cdtnkfyf skipper phoebe cutie evelyn miriam firebird ybrbnf runner damien
maxime alison bonita rodrigo lonely giulia africa medicine saints king aaliyah archie llllll
joanne mark maddog kermit yugioh drpepper jake deejay caprice linda blackberry ironman fred
mypassword joel guinness panget darkangel salvador ffffff miracle harry thumper jaimatadi
monkeys aaron indonesia lololo familia predator dearbook hershey gators peace athena wxcvbn
always cassandra rahasia nick darren chiara lovelife freddie hayden personal israel skateboard
lovebug pizza rfrfirf pencil aquarius sporting smokie nemesis cooldude torres aezakmi sunset
theone fernanda future vikings bigdick bearshare marcos lindsey denver ellie franco jeremiah
lvbnhbq olivier drummer diana lizzie scott lorraine knopka boogie brasil potato magnum tarzan
davide hector capricorn badass special cherokee private blablabla connie marissa samurai
lincoln kennedy turkey broncos yvonne pimp giants babyblue manuela sheila goldie assassin
nikki chloe florian lizard buddha good westlife tequila temp selena buttons dickhead shaggy
testtest juliana watermelon death defender punk explorer babylove marian faith hailey federica
favour pioneer crazy ducati matilda janice gilbert surfer ibrahim warren monalisa emerald
april deedee micheal delete dominique sapphire dfvgbh simon cantik papillon antoine vision
hearts arizona wolves tokiohotel puppies hhhhhh bear jacob larisa spooky kissmyass sebastien
jamie freeman shirley random julia ekaterina gustavo brownie design wrestling picasso telefon
snowman getmoney theresa morris bethany camilla julius racing subzero voodoo salvatore roberta
american digger dude julie stefano malibu jayson benson gundam cjkywt frank sachin hughes
shanna kkkkkkkk valera cuddles shelly bonbon harmony fuckit sputnik karolina fucking liliana
forget dragonfly bluefish celeste marines nightmare qazwsxedcrfv mommy hotrod stinky bollocks
dominik thailand deborah daniele mustafa sublime paloma gerald amore garrett karen alessia
qweqweqwe water ficken bunny hotstuff ronaldinho thegame stellina carrie shit february simpson
redwings beckham pirate justdoit rose aspirine doggie fireball mookie josh valentino volcom
badger geronimo atlanta maison ghjcnj adam rolltide tobias energy jacobs godislove buffalo
beaver garden ytrewq qawsedrf viktoria oooooo emilie dadada charlene curtis best redneck
valencia sunny popopo josephine suckit singer country vacation jellybean ladygaga callie
massimo zombie mariam vanilla mollie pavilion dylan madmax driver german letter harold hihihi
cuteako preston bobbob tatyana gregor tornado olga stratfor electra shakira shamrock
prettygirl rockon insanity avalon broken yankee stacey fish connect scarlett samsam eternity
tottenham teddy lucas fountain starcraft melvin frances tomcat wallace burrito ashton
newcastle ragnarok psycho privet clowns cedric lollypop rooster topgun rosemary poopie goodboy
vagina kristin marius sasasa qwerqwer goddess redrose illinois marlon gerard blackie chandler
sanane noway magnolia dodgers daniels dick phillip gabrielle kkkkkkk milena season usdopaa
whitney enterprise andromeda holland paramore flores lionking maxmax budlight bigred
cinderella dinamo blueeyes istanbul redbull rocker magnet hamilton galaxy canyon laguna dollar
bacchus dillon lala stardust sanchez batista blacky taco education alessandra mamama judith
patriots sunrise tattoo antonella delfin lucifer vivian casablanca bogdan holly rosario
sparkle punkrock isaiah megaman bettyboop rooney cxfcnmt billabong reddog sabina marketing
respect samira madeline dance newport blazer yasmin ghbdtnbr passat temppass sidney samara
corona manson anything desiree alice sara dorothy hola coconut leonard twinkle nigeria bentley
blackjack redhead bluesky hongkong pisces holden roxanne outlaw gogogo lester dietcoke newton
johanna bobmarley haha oblivion sobaka indiana mamamia billybob carlitos amores info mahal
makaveli incubus wonderful acmilan lakshmi marilyn panda laptop paintball spam boubou classic
andreea freckles cartman sugar clifford underground fireman kent bernie stratus daddysgirl
blossom renata burton kurt cassidy washington markus zvezda trigger giovanna stormy annette
nikola hendrix gizmo spike starfish cracker bishop kristine skywalker detroit pepito hotties
griffin blah kayla dupont ticket lisa poison paul youngmoney thankyou paris jester bluemoon
toronto divine casey widget skeeter morena tripper blowme beatriz babies fortuna herman mierda
lilwayne telephone chubby alfredo montreal bscirc jesse sandrine armando almond sigma munchkin
savage callum eeyore arianna amigos hernandez robinson ilovehim mobile godbless peugeot gothic
marianne chemistry joejoe coupons hayley snowflake deftones pegasus missy callofduty martini
redrum snuggles coming mykids rocknroll bubblegum cashmoney steaua kaktus brazil carson
warriors hanuman sergei kaylee roscoe tony flipper michaela birdie bruno wicked blueberry eric
unknown sheena artist jrcfyf catfish icehouse christy mackenzie universal sharp doodle
juliette michal stefania service lighthouse kaitlyn sanjay lancer hookem carebear brandi
damilola coco claudio singapore kingston jeanne rock blizzard lkjhgfdsa entropy dalton piazza
janine rajesh marcelo sommer jojo flamingo soulmate andre braves cougar magdalena ironmaiden
esperanza rastaman semperfi tootsie pinky enrique iforgot extreme yomama angelito blackcat
elvis yolanda momdad rjntyjr bastard raquel coolio marisa godfather antonia golf sexxxy
aragorn paddle qwertyqwerty indigo derrick rrrrrr hilary fatcat alexia nuttertools revolution
mister ramona dkflbvbh raptor testpass office fiesta dingdong sassy playstation fisher kolobok
geheim priyanka bozo imissyou richie skyhawk sexybitch radiohead lightning boxcar zxzxzx
clover santana gjkbyf banane mendoza account jakjak maxine mamita cubs elodie milan scruffy
smallville evolution pastor powers felicia biscuit jakarta trooper suzanne motherfucker point
target ilove fellow motherlode cccccc praise galatasaray rayray pinkfloyd lavender annie
zeppelin felix warhammer techno johnjohn wedding blonde gladiator nathaniel alexandru lane
snowboard hitler romain labrador quentin animals twister rfnthbyf redred rodney sweetness
azsxdc tttttt chipper justinbieber ibanez amour paulina ivanov marijuana research qqqqqqqq
handball westham princesse mauricio virgin rbhbkk hobbit unreal loveless ariana susana spartan
trinidad joker dave immortal anamaria atlantis sherry papamama katana olamide henry webhompass
moloko alessio gabriella ingrid casino danilo naughty youtube hehehe stewart panzer skiffy
applepie zxcasdqwe colleen trisha street raphael andy counter godisgreat darwin shane
esmeralda mission insane laurent oceane sherlock surfing scrappy mary jerry believe asddsa
logan cadillac vincenzo kittykat coolman larissa girls vaffanculo kenshin hornet scarlet
heyhey wonder rodriguez harris frederic nevermind watson cheryl gabriele bowling aurelie
inlove monitor pepsi smith verbatim sandman pornstar esteban what sampson clayton qwertyuio
arturo skate nugget jajaja emma roman weed marianna lolo clement granny kickass frosty cindy
wildcat mathew poopy sprite empire gorgeous pancho flying chrissy brendan abhishek pasaway
vfhecz graham apache riccardo alibaba asterix inferno enter coyote dthjybrf maureen rusty
ultimate denis skorpion kaiser madman voyager nana wolfgang southpark cotton halloween tdutybq
ernesto babyko habibi heart kathryn vfrcbvrf marlene horse juliet smudge fire romance rough
erika ninja theking osiris chevelle fighter tester collins babyface jersey backspace zaqxsw
armani free mermaid airforce norton campbell control deepak aditya bowwow jungle polaris
kelvin robin ericsson miamor jillian chrisbrown motocross gagged gonzalez jojojo sandiego
devils universe morrison gbpltw vfksirf cactus global bigman chevrolet anjali starlight
aleksandra kenny soldier boobs cinnamon fucklove hermione abraham romashka bryan kramer
francois highheel sarita prayer punkin carole keyboard raven irina nature allstar puppy lestat
diego richmond moreno romeo phone patience laurence mastermind noodles airborne emilia desire
toulouse iamthebest jesusislord mouse slimshady vladik delpiero university ganteng elvira
kucing schatz farmer sayangku awful deathnote window unique reaper action hunting timber
meghan lennon xxxxx axio hakr games opensesame brittney joey castle skolko carina renault
emanuel jefferson charity abcdefghij xxxxxxxx pyon raider sentnece sucker eleonora stars
whynot vodafone nnnnnn malcolm kiki bobcat assass tomato aztnm nichole taekwondo rambler
sexylady fucku nellie pirates sirius sandeep treasure titans sabine xxxx mamamama mushroom
ghetto marathon firefly ktyjxrf aspire aliali emilio peanuts webster pingpong house cannabis
malina maestro salman oxford stuart cheche stephane lucy alisha juggalo viewsonic amazing
faithful president vietnam catcat pearljam rochelle herbert download philippe dudley southside
cheval rebelde hudson amelie lillian kamikaze mississippi history seattle kotenok amorcito
deniska onepiece jesucristo spunky chantal boomboom malika simba backend hellfire helene
national sailor landon jocelyn agnieszka mimi lawyer dracula natalya melinda rockyou misty
forgot noodle guest suckme renegade bonjovi mexican annabelle soledad pentium qweewq guadalupe
calimero chevy adriano franky gandako wolfpack netlog fenerbahce whiskey castillo marcela
sylvia amadeus killbill yousuck dumbass dating renato rfhbyf angeles luckydog penny ivan
sharks redman information international nursing svetik foster bridget microlab mohammad cosmos
hobbes ashleigh moose freaky werewolf chiquita rachael caesar beverly darkside alpha bronco
claude beyonce tarheels ilovemymom asdqwe panama megane doraemon palermo abdullah wombat home
romania tyrone billie rosita kyle payton deadman kasper bleach ciao horny babycakes krystal
discovery sadie teamo darius mittens squirrel manolo vfvekz jobsearch shiloh blowjob seven
jeff sparta texas blood devil vanille kiss dolores western chipie interests mikey belinda
newpass anita ricky murray guillaume eddie kikeunyw mirage honeybee elisabeth ilikepie vitalik
thanks rommel kittens leticia lampard arschloch memory felicidade million goodman digimon
shutup science inside
`;

const setOf = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Common passwords of at least 12 characters, in lower case. */
export const COMMON_PASSWORDS = setOf(LONG);
/** Words that are common passwords or the largest part of one; lower-case letters only. */
export const COMMON_WORDS = setOf(WORDS);
